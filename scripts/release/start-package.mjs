#!/usr/bin/env node
// The `causeway` command of the published package: the built program, in the caller's folder, under the Node at hand.
// The clone has a launcher of its own, which also installs.
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 24;

if (Number(process.versions.node.split('.')[0]) < NEEDED_MAJOR) {
  process.stderr.write(`Causeway needs Node ${NEEDED_MAJOR} or newer; this is ${process.version}.\n`);
  process.exit(2);
}
// Node's own fetch uses HTTPS_PROXY and NO_PROXY only if this is set before it starts (or, from 24.14 on, if it is told).
const { setGlobalProxyFromEnv } = await import('node:http');
setGlobalProxyFromEnv?.();
// What Node compiles is kept between starts, and goes with the package at its upgrade. Without an address Node would take a folder of the
// system's temporary files, where on a shared machine somebody else could have put what is run. Where it cannot be written, Node goes without.
(await import('node:module')).enableCompileCache(fileURLToPath(new URL('../.compiled', import.meta.url)));
await import('../dist/main.js');
