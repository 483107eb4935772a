// Bundles the page: node build.mjs SOURCES MODULES OUT, three folders. Writes page.js, page.css and LICENSES.txt to OUT.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [sources, modules, out] = process.argv.slice(2);
const { build } = createRequire(join(modules, "node_modules", "package.json"))("esbuild");

await build({
  entryPoints: { page: join(sources, "source", "main.js") },
  outdir: out,
  nodePaths: [join(modules, "node_modules")],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2021",
  loader: { ".svg": "dataurl" },
  legalComments: "none", // they are in LICENSES.txt, which goes with every page
  charset: "utf8",
  logLevel: "warning",
});

const texts = ["three", "uplot"].map((name) => {
  const folder = join(modules, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
});
writeFileSync(join(out, "LICENSES.txt"), texts.join("\n"));
