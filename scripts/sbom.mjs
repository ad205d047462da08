// Prints what is shipped as CycloneDX 1.5: every package of the lockfile that is not for development alone. `npm run --silent sbom`.
// npm's own `npm sbom --omit dev` (11.19) leaves out what a development tool needs as well, zod and yaml among it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The same lockfile gives the same bytes, so that two lists can be compared: the serial number is made from them. */
function billOfMaterials(lock) {
  const { '': own, ...packages } = lock.packages;
  const components = new Map();
  for (const [place, entry] of Object.entries(packages)) {
    // Our own packages are part of this one.
    if (entry.dev === true || entry.link === true || !place.includes('node_modules/')) continue;
    const component = componentOf(entry.name ?? place.slice(place.lastIndexOf('node_modules/') + 13), entry);
    components.set(component.purl, component);
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([...components.keys()]))}`,
    version: 1,
    metadata: { component: { type: 'application', name: own.name, version: own.version, ...licencesOf(own) } },
    components: [...components.values()].sort((one, other) => (one.purl < other.purl ? -1 : 1)),
  };
}

function componentOf(name, { version, integrity = '', optional, ...entry }) {
  const [algorithm, digest = ''] = integrity.split('-');
  const content = Buffer.from(digest, 'base64').toString('hex');
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    ...{ name, version, purl },
    scope: optional === true ? 'optional' : 'required',
    ...(algorithm === 'sha512' ? { hashes: [{ alg: 'SHA-512', content }] } : {}),
    ...licencesOf(entry),
  };
}

function licencesOf({ license }) {
  if (typeof license !== 'string') return {};
  return { licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { id: license } }] };
}

/** Version 5 in form (RFC 9562). */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
process.stdout.write(`${JSON.stringify(billOfMaterials(lock), null, 2)}\n`);
