// Made by `python -m hsr.lab.local` (`make lab-page` calls it). Do not edit.
import { PresetsReply } from "../schema";
import type { Declared } from "./request";

export const PRESETS: PresetsReply = {
 "maps": {
  "four_rooms": "#############\n#S....#.....#\n#.....#.....#\n#........1..#\n#.....#.....#\n#.....#.....#\n##.####.....#\n#.....###.###\n#.....#.....#\n#.....#.....#\n#.........2.#\n#.....#.....#\n#############",
  "four_rooms_barriers": "#############\n#.....#.....#\n#S....#...1.#\n#...........#\n#..#..#..####\n#..#..#.....#\n##.####.....#\n#.....###.###\n#.....#.....#\n####..#.....#\n#........#2.#\n#.....#..#..#\n#############",
  "loop": "##################\n#.....#....#.....#\n#.S...#..........#\n#..........#.....#\n#.....#....#...1.#\n###.##########.###\n#....#######....##\n#....#######....##\n#....#######....##\n##.###########.###\n#....#.....#.....#\n#..........#.....#\n#....#...........#\n#....#.....#..2..#\n##################",
  "corridor": "#######################\n#....#....#......#....#\n#.S..#....#...1..#....#\n#....#....#......#....#\n##.#####.####.#####.###\n#.....................#\n#.....................#\n####.#####.######.#####\n#.....#.....#.........#\n#.....#.....#......2..#\n#.....#.....#.........#\n#######################",
  "paired_bottlenecks": "##################\n#....#.....#.....#\n#.S........#..1..#\n#....#...........#\n#..........#.....#\n#....#...........#\n#.#.##.##.###.#.##\n#....#.....#.....#\n#..........#.....#\n#....#...........#\n#..........#.....#\n#....#.........2.#\n##################"
 },
 "option_kinds": [
  {
   "name": "eigen",
   "summary": "climb the slow eigenvectors of the random walk",
   "settings": [
    "signs",
    "first",
    "seed"
   ]
  },
  {
   "name": "covering",
   "summary": "connect the two states that are farthest apart for the random walk",
   "settings": [
    "initiation"
   ]
  },
  {
   "name": "random",
   "summary": "go to states drawn at random",
   "settings": [
    "seed"
   ]
  },
  {
   "name": "successor",
   "summary": "go to landmarks, the middle of states with similar rows of the SR",
   "settings": [
    "seed"
   ]
  },
  {
   "name": "betweenness",
   "summary": "go to doors and junctions, which most shortest paths pass",
   "settings": []
  },
  {
   "name": "diffusion",
   "summary": "go to corners and dead ends, from which diffusion is slowest",
   "settings": [
    "diffusion_time"
   ]
  },
  {
   "name": "none",
   "summary": "primitive actions only",
   "settings": []
  }
 ],
 "option_settings": {
  "signs": {
   "description": "which signs of the eigenvectors are used",
   "default": "positive",
   "words": {
    "positive": "one option per eigenvector, with the sign fixed by a rule",
    "both": "two options per eigenvector, one for each sign, and half as many vectors",
    "svd": "the signs of the left singular vectors that numpy.linalg.svd returns",
    "eigh": "the signs of the eigenvectors that numpy.linalg.eigh returns",
    "eig": "the signs of the eigenvectors that numpy.linalg.eig returns",
    "random": "each sign drawn at random by the seed"
   },
   "low": null,
   "high": null
  },
  "first": {
   "description": "what becomes of the constant eigenvector",
   "default": "skipped",
   "words": {
    "skipped": "the constant eigenvector is left out, because no option can climb it",
    "counted": "the constant eigenvector counts as the first option, available nowhere"
   },
   "low": null,
   "high": null
  },
  "seed": {
   "description": "seed of random options, random signs and landmarks",
   "default": 0,
   "words": null,
   "low": 0,
   "high": null
  },
  "initiation": {
   "description": "where covering options can be chosen",
   "default": "point",
   "words": {
    "point": "only in the other state of the pair, as published",
    "everywhere": "wherever the target can be reached"
   },
   "low": null,
   "high": null
  },
  "diffusion_time": {
   "description": "steps of diffusion after which states are compared",
   "default": 16,
   "words": null,
   "low": 1,
   "high": null
  }
 },
 "representations": {
  "rw_sr": "SR of the uniform random walk over actions",
  "rw_hsr": "HSR of the uniform random walk over actions and options",
  "esr": "SR of the optimal policies over actions, averaged over goals",
  "ehsr": "HSR of the optimal policies over actions and options, averaged over goals"
 },
 "bases": {
  "rows": "the rows of the map as they are",
  "svd": "singular vectors of the map",
  "nmf": "sparse non-negative parts",
  "onehot": "one feature per state"
 },
 "features": {
  "description": "what a state looks like to the agent",
  "default": "onehot",
  "words": {
   "rw_sr": "SR of the uniform random walk over actions",
   "rw_hsr": "HSR of the uniform random walk over actions and options",
   "esr": "SR of the optimal policies over actions, averaged over goals",
   "ehsr": "HSR of the optimal policies over actions and options, averaged over goals",
   "onehot": "one feature per state",
   "sr": "rows of the SR that the agent learns online",
   "hsr": "rows of the HSR that the agent learns online"
  },
  "low": null,
  "high": null
 },
 "bonus": {
  "description": "what the agent is paid for novelty",
  "default": "spie",
  "words": {
   "spie": "what all other states predict about the next one, squared",
   "norm": "the inverse norm of a row of the map",
   "spie_l1": "SPIE without squares",
   "none": "no bonus"
  },
  "low": null,
  "high": null
 },
 "bonus_map": {
  "description": "the map that the bonus is read from",
  "default": "hsr",
  "words": {
   "hsr": "the HSR, learned when a choice has ended",
   "sr": "the SR, learned at every primitive step"
  },
  "low": null,
  "high": null
 },
 "discovery": {
  "description": "how options are found online",
  "default": "eigen",
  "words": {
   "eigen": "climb eigenvectors of the learned SR, the paper's heuristic",
   "covering": "climb the slowest mode of what was seen, towards its less visited end",
   "frontier": "go to the boundary of what was visited, and beyond",
   "successor": "go to landmarks, the middle of states with similar rows of the SR",
   "betweenness": "go to doors and junctions of what was seen",
   "diffusion": "go to corners and dead ends of what was seen"
  },
  "low": null,
  "high": null
 },
 "ties": {
  "description": "how plans over options split choices that are equally good",
  "default": "uniform",
  "words": {
   "uniform": "all best choices are equally probable",
   "options": "only options, wherever an option is among the best choices",
   "primitives": "only primitive actions, wherever one is among the best choices",
   "random": "one best choice per state, drawn by the seed"
  },
  "low": null,
  "high": null
 },
 "stopping_state": {
  "description": "how often the HSR counts the state in which an option stops",
  "default": "counted_once",
  "words": {
   "counted_once": "the state where an option stops is counted by the next choice only",
   "counted_twice": "the state where an option stops is counted by the option and the next choice"
  },
  "low": null,
  "high": null
 }
};
export const REQUESTS: Record<string, Declared> = {
 "presets": {
  "type": "object",
  "required": [],
  "properties": {}
 },
 "maze": {
  "type": "object",
  "required": [
   "size"
  ],
  "properties": {
   "size": {
    "type": "integer",
    "minimum": 5,
    "maximum": 101
   },
   "seed": {
    "type": "integer",
    "default": 0,
    "minimum": 0,
    "exclusiveMaximum": 9223372036854775808
   }
  }
 },
 "check": {
  "type": "object",
  "required": [
   "map"
  ],
  "properties": {
   "map": {
    "type": "string",
    "maxLength": 16640
   }
  }
 },
 "world": {
  "type": "object",
  "required": [
   "world"
  ],
  "properties": {
   "world": {
    "$ref": "#/$defs/World"
   }
  }
 },
 "rows": {
  "type": "object",
  "required": [
   "state",
   "world"
  ],
  "properties": {
   "state": {
    "type": "integer",
    "minimum": 0
   },
   "which": {
    "anyOf": [
     {
      "type": "string",
      "maxLength": 200,
      "names": [
       "rw_sr",
       "rw_hsr",
       "esr",
       "ehsr",
       "sr",
       "hsr"
      ]
     },
     {
      "type": "null"
     }
    ],
    "default": null
   },
   "world": {
    "$ref": "#/$defs/World"
   }
  }
 },
 "matrix": {
  "type": "object",
  "required": [
   "world",
   "which"
  ],
  "properties": {
   "world": {
    "$ref": "#/$defs/World"
   },
   "which": {
    "type": "string",
    "maxLength": 200,
    "names": [
     "rw_sr",
     "rw_hsr",
     "esr",
     "ehsr",
     "sr",
     "hsr"
    ]
   }
  }
 },
 "basis": {
  "type": "object",
  "required": [
   "which",
   "n",
   "world",
   "kind"
  ],
  "properties": {
   "scale": {
    "type": "string",
    "enum": [
     "none",
     "max",
     "unit_columns",
     "unit_rows"
    ],
    "default": "none"
   },
   "vectors": {
    "type": "string",
    "enum": [
     "scaled_left",
     "left",
     "right"
    ],
    "default": "scaled_left"
   },
   "start": {
    "type": "string",
    "enum": [
     "nndsvda",
     "random"
    ],
    "default": "nndsvda"
   },
   "solver": {
    "type": "string",
    "enum": [
     "hals",
     "extrapolated",
     "multiplicative"
    ],
    "default": "hals"
   },
   "parts": {
    "type": "string",
    "enum": [
     "as_given",
     "norms_in_features"
    ],
    "default": "as_given"
   },
   "seed": {
    "type": "integer",
    "default": 0,
    "minimum": 0
   },
   "which": {
    "type": "string",
    "maxLength": 200,
    "names": [
     "rw_sr",
     "rw_hsr",
     "esr",
     "ehsr",
     "sr",
     "hsr"
    ]
   },
   "n": {
    "type": "integer",
    "minimum": 1,
    "maximum": 64
   },
   "world": {
    "$ref": "#/$defs/World"
   },
   "kind": {
    "type": "string",
    "maxLength": 200,
    "names": [
     "rows",
     "svd",
     "nmf",
     "onehot"
    ]
   }
  }
 },
 "train": {
  "type": "object",
  "required": [
   "agents",
   "episodes",
   "horizon",
   "world"
  ],
  "properties": {
   "agents": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/Learner"
    },
    "minItems": 1,
    "maxItems": 2
   },
   "seed": {
    "type": "integer",
    "default": 0,
    "minimum": 0,
    "exclusiveMaximum": 9223372036854775808
   },
   "n_seeds": {
    "type": "integer",
    "default": 1,
    "minimum": 1,
    "maximum": 50
   },
   "episodes": {
    "type": "integer",
    "minimum": 1,
    "maximum": 200
   },
   "horizon": {
    "type": "integer",
    "minimum": 1,
    "maximum": 5000
   },
   "world": {
    "$ref": "#/$defs/World"
   }
  }
 },
 "path": {
  "type": "object",
  "required": [
   "run",
   "agent",
   "begin",
   "end"
  ],
  "properties": {
   "run": {
    "type": "string",
    "maxLength": 64
   },
   "agent": {
    "type": "integer",
    "minimum": 0
   },
   "begin": {
    "type": "integer",
    "minimum": 0
   },
   "end": {
    "type": "integer",
    "minimum": 1
   }
  }
 },
 "values": {
  "type": "object",
  "required": [
   "run",
   "agent",
   "episode"
  ],
  "properties": {
   "run": {
    "type": "string",
    "maxLength": 64
   },
   "agent": {
    "type": "integer",
    "minimum": 0
   },
   "episode": {
    "type": "integer",
    "minimum": 0
   }
  }
 },
 "explore": {
  "type": "object",
  "required": [
   "agents",
   "steps",
   "world"
  ],
  "properties": {
   "agents": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/Explorer"
    },
    "minItems": 1,
    "maxItems": 4
   },
   "seed": {
    "type": "integer",
    "default": 0,
    "minimum": 0,
    "exclusiveMaximum": 9223372036854775808
   },
   "steps": {
    "type": "integer",
    "minimum": 1,
    "maximum": 100000
   },
   "world": {
    "$ref": "#/$defs/World"
   }
  }
 },
 "python": {
  "type": "object",
  "required": [
   "world",
   "show"
  ],
  "properties": {
   "world": {
    "$ref": "#/$defs/World"
   },
   "show": {
    "oneOf": [
     {
      "$ref": "#/$defs/ShowRows"
     },
     {
      "$ref": "#/$defs/ShowBasis"
     },
     {
      "$ref": "#/$defs/ShowTrain"
     },
     {
      "$ref": "#/$defs/ShowExplore"
     }
    ]
   }
  }
 },
 "cancel": {
  "type": "object",
  "required": [
   "target"
  ],
  "properties": {
   "target": {
    "type": "integer",
    "minimum": 0,
    "maximum": 9007199254740992
   }
  }
 }
};
export const DEFINITIONS: Record<string, Declared> = {
 "Explorer": {
  "type": "object",
  "properties": {
   "bonus": {
    "type": "string",
    "default": "spie",
    "maxLength": 200
   },
   "on": {
    "type": "string",
    "enum": [
     "hsr",
     "sr"
    ],
    "default": "hsr"
   },
   "learning_rate": {
    "type": "number",
    "default": 0.01,
    "maximum": 1,
    "exclusiveMinimum": 0
   },
   "epsilon": {
    "type": "number",
    "default": 0.1,
    "minimum": 0,
    "maximum": 1
   },
   "bonus_weight": {
    "type": "number",
    "default": 1.0,
    "minimum": 0
   },
   "map_learning_rate": {
    "type": "number",
    "default": 0.01,
    "maximum": 1,
    "exclusiveMinimum": 0
   },
   "initial_map": {
    "type": "string",
    "enum": [
     "identity",
     "zero"
    ],
    "default": "identity"
   },
   "bonus_per": {
    "type": "string",
    "enum": [
     "step",
     "choice"
    ],
    "default": "step"
   },
   "norm_of": {
    "type": "string",
    "enum": [
     "arrived",
     "left"
    ],
    "default": "arrived"
   },
   "tie_tolerance": {
    "type": "number",
    "default": 1e-12,
    "minimum": 0
   },
   "options": {
    "type": "boolean",
    "default": true
   },
   "online": {
    "anyOf": [
     {
      "$ref": "#/$defs/Online"
     },
     {
      "type": "null"
     }
    ],
    "default": null
   }
  },
  "required": []
 },
 "Learner": {
  "type": "object",
  "properties": {
   "features": {
    "type": "string",
    "default": "onehot",
    "maxLength": 200
   },
   "learning_rate": {
    "type": "number",
    "default": 0.01,
    "maximum": 1,
    "exclusiveMinimum": 0
   },
   "epsilon": {
    "type": "number",
    "default": 0.1,
    "minimum": 0,
    "maximum": 1
   },
   "explore_with": {
    "type": "string",
    "enum": [
     "choices",
     "primitives"
    ],
    "default": "choices"
   },
   "explore_at": {
    "type": "string",
    "enum": [
     "choices",
     "steps"
    ],
    "default": "choices"
   },
   "map_learning_rate": {
    "type": "number",
    "default": 0.01,
    "maximum": 1,
    "exclusiveMinimum": 0
   },
   "initial_map": {
    "type": "string",
    "enum": [
     "identity",
     "zero"
    ],
    "default": "identity"
   },
   "update": {
    "type": "string",
    "enum": [
     "chosen_and_primitives",
     "chosen",
     "primitives",
     "intra_option",
     "running"
    ],
    "default": "chosen_and_primitives"
   },
   "map_update": {
    "type": "string",
    "enum": [
     "chosen",
     "passed",
     "intra_option"
    ],
    "default": "chosen"
   },
   "tie_tolerance": {
    "type": "number",
    "default": 1e-12,
    "minimum": 0
   },
   "ties": {
    "type": "string",
    "enum": [
     "random",
     "first"
    ],
    "default": "random"
   },
   "form": {
    "type": "string",
    "enum": [
     "auto",
     "primal",
     "dual"
    ],
    "default": "auto"
   },
   "options": {
    "type": "boolean",
    "default": true
   }
  },
  "required": []
 },
 "Online": {
  "type": "object",
  "properties": {
   "method": {
    "type": "string",
    "enum": [
     "eigen",
     "covering",
     "frontier",
     "successor",
     "betweenness",
     "diffusion"
    ],
    "default": "eigen"
   },
   "warm_up": {
    "type": "integer",
    "default": 1000,
    "minimum": 0
   },
   "n_options": {
    "type": "integer",
    "default": 8,
    "minimum": 1,
    "maximum": 64
   },
   "refresh": {
    "type": "integer",
    "default": 1000,
    "minimum": 50
   }
  },
  "required": []
 },
 "Options": {
  "type": "object",
  "properties": {
   "signs": {
    "anyOf": [
     {
      "type": "string",
      "enum": [
       "positive",
       "both",
       "svd",
       "eigh",
       "eig",
       "random"
      ]
     },
     {
      "type": "string",
      "pattern": "^(?:[+-]+)$",
      "maxLength": 200
     }
    ],
    "default": "positive"
   },
   "first": {
    "type": "string",
    "enum": [
     "skipped",
     "counted"
    ],
    "default": "skipped"
   },
   "seed": {
    "type": "integer",
    "default": 0,
    "minimum": 0
   },
   "initiation": {
    "type": "string",
    "enum": [
     "point",
     "everywhere"
    ],
    "default": "point"
   },
   "diffusion_time": {
    "type": "integer",
    "default": 16,
    "minimum": 1
   },
   "kind": {
    "type": "string",
    "default": "eigen",
    "maxLength": 200,
    "names": [
     "eigen",
     "covering",
     "random",
     "successor",
     "betweenness",
     "diffusion",
     "none"
    ]
   },
   "n": {
    "type": "integer",
    "default": 8,
    "minimum": 1,
    "maximum": 64
   },
   "at_most": {
    "type": "boolean",
    "default": false
   }
  },
  "required": []
 },
 "Reading": {
  "type": "object",
  "properties": {
   "ties": {
    "type": "string",
    "enum": [
     "uniform",
     "options",
     "primitives",
     "random"
    ],
    "default": "uniform"
   },
   "stopping_state": {
    "type": "string",
    "enum": [
     "counted_once",
     "counted_twice"
    ],
    "default": "counted_once"
   }
  },
  "required": []
 },
 "ShowBasis": {
  "type": "object",
  "required": [
   "which",
   "n",
   "kind",
   "basis"
  ],
  "properties": {
   "scale": {
    "type": "string",
    "enum": [
     "none",
     "max",
     "unit_columns",
     "unit_rows"
    ],
    "default": "none"
   },
   "vectors": {
    "type": "string",
    "enum": [
     "scaled_left",
     "left",
     "right"
    ],
    "default": "scaled_left"
   },
   "start": {
    "type": "string",
    "enum": [
     "nndsvda",
     "random"
    ],
    "default": "nndsvda"
   },
   "solver": {
    "type": "string",
    "enum": [
     "hals",
     "extrapolated",
     "multiplicative"
    ],
    "default": "hals"
   },
   "parts": {
    "type": "string",
    "enum": [
     "as_given",
     "norms_in_features"
    ],
    "default": "as_given"
   },
   "seed": {
    "type": "integer",
    "default": 0,
    "minimum": 0
   },
   "which": {
    "type": "string",
    "maxLength": 200,
    "names": [
     "rw_sr",
     "rw_hsr",
     "esr",
     "ehsr",
     "sr",
     "hsr"
    ]
   },
   "n": {
    "type": "integer",
    "minimum": 1,
    "maximum": 64
   },
   "kind": {
    "type": "string",
    "const": "basis"
   },
   "basis": {
    "type": "string",
    "maxLength": 200,
    "names": [
     "rows",
     "svd",
     "nmf",
     "onehot"
    ]
   }
  }
 },
 "ShowExplore": {
  "type": "object",
  "required": [
   "agents",
   "steps",
   "kind"
  ],
  "properties": {
   "agents": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/Explorer"
    },
    "minItems": 1,
    "maxItems": 4
   },
   "seed": {
    "type": "integer",
    "default": 0,
    "minimum": 0,
    "exclusiveMaximum": 9223372036854775808
   },
   "steps": {
    "type": "integer",
    "minimum": 1,
    "maximum": 100000
   },
   "kind": {
    "type": "string",
    "const": "explore"
   }
  }
 },
 "ShowRows": {
  "type": "object",
  "required": [
   "state",
   "kind"
  ],
  "properties": {
   "state": {
    "type": "integer",
    "minimum": 0
   },
   "which": {
    "anyOf": [
     {
      "type": "string",
      "maxLength": 200,
      "names": [
       "rw_sr",
       "rw_hsr",
       "esr",
       "ehsr",
       "sr",
       "hsr"
      ]
     },
     {
      "type": "null"
     }
    ],
    "default": null
   },
   "kind": {
    "type": "string",
    "const": "rows"
   }
  }
 },
 "ShowTrain": {
  "type": "object",
  "required": [
   "agents",
   "episodes",
   "horizon",
   "kind"
  ],
  "properties": {
   "agents": {
    "type": "array",
    "items": {
     "$ref": "#/$defs/Learner"
    },
    "minItems": 1,
    "maxItems": 2
   },
   "seed": {
    "type": "integer",
    "default": 0,
    "minimum": 0,
    "exclusiveMaximum": 9223372036854775808
   },
   "n_seeds": {
    "type": "integer",
    "default": 1,
    "minimum": 1,
    "maximum": 50
   },
   "episodes": {
    "type": "integer",
    "minimum": 1,
    "maximum": 200
   },
   "horizon": {
    "type": "integer",
    "minimum": 1,
    "maximum": 5000
   },
   "kind": {
    "type": "string",
    "const": "train"
   }
  }
 },
 "World": {
  "type": "object",
  "required": [
   "map"
  ],
  "properties": {
   "map": {
    "type": "string",
    "maxLength": 16640
   },
   "discount": {
    "type": "number",
    "default": 0.9,
    "minimum": 0.0,
    "exclusiveMaximum": 1.0
   },
   "options": {
    "$ref": "#/$defs/Options",
    "default": {
     "signs": "positive",
     "first": "skipped",
     "seed": 0,
     "initiation": "point",
     "diffusion_time": 16,
     "kind": "eigen",
     "n": 8,
     "at_most": false
    }
   },
   "reading": {
    "$ref": "#/$defs/Reading",
    "default": {
     "ties": "uniform",
     "stopping_state": "counted_once"
    }
   },
   "task": {
    "type": "string",
    "enum": [
     "walk",
     "1",
     "2",
     "every"
    ],
    "default": "walk"
   }
  }
 }
};
/** The settings that each representation reads. */
export const READS: Record<string, readonly string[]> = {
 "rw_sr": [],
 "rw_hsr": [
  "stopping_state"
 ],
 "esr": [
  "tasks",
  "policies",
  "goal"
 ],
 "ehsr": [
  "tasks",
  "policies",
  "ties",
  "stopping_state",
  "goal"
 ]
};
/** The fields of each specification and their defaults. */
export const SPECIFICATIONS: Record<string, Record<string, unknown>> = {
 "BasisSpec": {
  "kind": "rows",
  "n_components": null,
  "scale": "none",
  "start": "nndsvda",
  "vectors": "scaled_left",
  "solver": "hals",
  "parts": "as_given",
  "seed": 0
 },
 "LinearQ": {
  "features": "onehot",
  "learning_rate": 0.01,
  "epsilon": 0.1,
  "explore_with": "choices",
  "explore_at": "choices",
  "map_learning_rate": 0.01,
  "initial_map": "identity",
  "update": "chosen_and_primitives",
  "map_update": "chosen",
  "tie_tolerance": 1e-12,
  "ties": "random",
  "form": "auto"
 },
 "OnlineOptions": {
  "n_options": 8,
  "warm_up": 1000,
  "refresh": 1000,
  "signs": "positive",
  "values": "keep",
  "first": "skipped",
  "seed": 0,
  "method": "eigen",
  "added": 0,
  "forget": "usual",
  "when": "interval",
  "source": "graph",
  "novelty": "counts",
  "diffusion_time": 16
 },
 "Sarsa": {
  "bonus": "spie",
  "on": "hsr",
  "learning_rate": 0.01,
  "epsilon": 0.1,
  "bonus_weight": 1.0,
  "map_learning_rate": 0.01,
  "initial_map": "identity",
  "bonus_per": "step",
  "norm_of": "arrived",
  "tie_tolerance": 1e-12
 }
};
