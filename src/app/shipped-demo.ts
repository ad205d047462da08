// The demo that ships with Causeway: a small repository as a git bundle, a report about it, and a script that plays the model.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DemoDeps } from '../terminal/demo.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'demo');

/** What a model answers to the demo's report, as `MODEL=scripted:FILE` reads it. */
export const DEMO_SCRIPT = path.join(FOLDER, 'corner-shop.script.json');

export function shippedDemo(): DemoDeps['demo'] {
  return {
    source: { kind: 'path', path: path.join(FOLDER, 'corner-shop.bundle') },
    report: readFileSync(path.join(FOLDER, 'report.md'), 'utf8'),
  };
}
