// The bundled worker as text: build.mjs makes it of worker.ts, so that one file holds the whole page.
declare module "worker-source" {
  const source: string;
  export default source;
}
