// Features of a map by the name of their basis, strongest first.
import { LIMITS } from "../../schema";
import { norm, transposed } from "../algebra/dense";
import { needsServer } from "../refused";
import { FilledRequest } from "../request";
import { Work } from "../work";
import { factorise, startOf } from "./nmf";
import { leadingTriplets } from "./svd";

/** Features and components of a map, one row for each of K features: M is about the sum of their outer products. */
interface Basis {
  features: Float64Array[];
  components: Float64Array[];
}

type Asked = FilledRequest<"basis">;

/** Returns the features that a page asks for, at most `n` of them. */
export async function strongestFeatures(map: Float64Array, nStates: number, asked: Asked, work: Work): Promise<Float64Array[]> {
  const { features, components } = scaled(await basisOf(map, nStates, asked, work), asked.scale, asked.kind);
  // As 32-bit numbers, so that rounding does not decide between equal strengths.
  const strength = Float32Array.from(features, (feature, k) => norm(feature) * norm(components[k]));
  const order = Array.from(strength.keys()).sort((one, other) => strength[other] - strength[one] || one - other);
  return order.slice(0, asked.n).map((k) => features[k]);
}

async function basisOf(map: Float64Array, n: number, asked: Asked, work: Work): Promise<Basis> {
  const unit = () => rowsOf(Float64Array.from({ length: n * n }, (_, i) => +(i % (n + 1) === 0)), n);
  if (asked.kind === "rows") return { features: rowsOf(transposed(map, n, n), n), components: unit() };
  if (asked.kind === "onehot") return { features: unit(), components: rowsOf(map, n) };
  if (asked.kind === "svd") return svdBasis(map, n, asked, work);
  return nmfBasis(map, n, asked, work);
}

async function svdBasis(map: Float64Array, n: number, asked: Asked, work: Work): Promise<Basis> {
  const triplets = await leadingTriplets(map, n, Math.min(asked.n, n), work);
  const times = (vector: Float64Array, s: number) => vector.map((entry) => s * entry);
  const right = asked.vectors === "right";
  const inFeatures = asked.vectors === "scaled_left";
  return {
    features: triplets.map(({ s, u, v }) => (right ? v : times(u, inFeatures ? s : 1))),
    components: triplets.map(({ s, u, v }) => times(right ? u : v, inFeatures ? 1 : s)),
  };
}

async function nmfBasis(map: Float64Array, n: number, asked: Asked, work: Work): Promise<Basis> {
  if (asked.start !== "nndsvda") throw needsServer(`start is '${asked.start}'; such a start`);
  if (asked.solver !== "hals") throw needsServer(`solver is '${asked.solver}'; such a solver`);
  if (asked.n > n) throw needsServer(`n is ${asked.n} and the maze has ${n} states; a basis of more parts than states`);
  const factors = startOf(map, n, await leadingTriplets(map, n, asked.n, work));
  await factorise(map, n, factors, LIMITS.NMF_ITERATIONS, work);
  const [features, components] = [rowsOf(factors.Wt, n), rowsOf(factors.H, n)];
  if (asked.parts === "as_given") return { features, components };
  const norms = components.map((component) => norm(component));
  return {
    features: features.map((feature, k) => feature.map((entry) => entry * norms[k])),
    components: components.map((component, k) => component.map((entry) => entry / (norms[k] || 1))),
  };
}

/** Divides features by their largest entry, by their norm, or by the norm of the features of each state. */
function scaled({ features, components }: Basis, scale: string, kind: string): Basis {
  if (kind === "onehot" || scale === "none") return { features, components };
  if (scale === "unit_rows") {
    const norms = Float64Array.from(features[0], (_, s) => norm(Float64Array.from(features, (feature) => feature[s])) || 1);
    return { features: features.map((feature) => feature.map((entry, s) => entry / norms[s])), components };
  }
  const size = (feature: Float64Array) => (scale === "max" ? Math.max(...feature.map(Math.abs)) : norm(feature)) || 1;
  const sizes = features.map(size);
  return {
    features: features.map((feature, k) => feature.map((entry) => entry / sizes[k])),
    components: components.map((component, k) => component.map((entry) => entry * sizes[k])),
  };
}

function rowsOf(matrix: Float64Array, n: number): Float64Array[] {
  return Array.from({ length: matrix.length / n }, (_, i) => matrix.subarray(i * n, i * n + n));
}
