// Prints `version=VERSION` for a tag `release/VERSION` that names the version of package.json, and ends with 1 for another.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const [tag = ''] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(path.join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));
if (tag === `release/${version}`) {
  console.log(`version=${version}`);
} else {
  console.error(`The tag is ${tag}, and package.json has version ${version}: tag release/${version}.`);
  process.exitCode = 1;
}
