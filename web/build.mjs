// Writes src/hsr/lab/static/lab.html, with script and style inlined. `python -m hsr.lab.page` calls it.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = new URL("./", import.meta.url);
const target = new URL("../src/hsr/lab/static/", here);
const shared = {
  absWorkingDir: fileURLToPath(here),
  bundle: true,
  minify: true,
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  write: false,
};

async function bundled(entry, more = {}) {
  const { outputFiles } = await build({ ...shared, entryPoints: [entry], ...more });
  return outputFiles[0].text.trim();
}

// `import source from "worker-source"` gives the bundled worker as text, so that the page is one file.
const workerSource = {
  name: "worker-source",
  setup(building) {
    building.onResolve({ filter: /^worker-source$/ }, ({ path }) => ({ path, namespace: "worker" }));
    building.onLoad({ filter: /.*/, namespace: "worker" }, async () => ({
      contents: await bundled("src/local/worker.ts", { format: "iife" }),
      loader: "text",
    }));
  },
};

// The page may run its own script, style and worker, and connect to nothing.
const hashed = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = (script, style) =>
  ["default-src 'none'", `script-src ${hashed(script)}`, `style-src ${hashed(style)}`, "worker-src blob:", "img-src data:",
    "connect-src 'none'", "base-uri 'none'", "form-action 'none'"].join("; ");

const script = await bundled("src/main.ts", { format: "iife", plugins: [workerSource] });
const style = await bundled("src/lab.css");
const template = await readFile(new URL("src/lab.html", here), "utf8");
if (/<\/script/i.test(script) || /<\/style/i.test(style)) throw new Error("the bundle would end its own element");
const page = template.replace("/*policy*/", () => policy(script, style)).replace("/*style*/", () => style).replace("/*script*/", () => script);

await mkdir(target, { recursive: true });
const unfinished = new URL(`lab.${process.pid}.html`, target); // renamed, so that nobody reads half of it
await writeFile(unfinished, page);
await rename(unfinished, new URL("lab.html", target));
