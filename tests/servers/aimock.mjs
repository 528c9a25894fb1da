// Serves the scenes of a JSON file with aimock until standard input closes: node aimock.mjs PACKAGE SCENES.json
import { pathToFileURL } from "node:url";

const [folder, scenes] = process.argv.slice(2);
const { LLMock } = await import(pathToFileURL(`${folder}/dist/index.js`).href);
const server = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 7, strict: true, logLevel: "warn" });
server.loadFixtureFile(scenes);
await server.start();
console.log(server.url);
process.stdin.on("end", () => process.exit(0));
process.stdin.resume();
