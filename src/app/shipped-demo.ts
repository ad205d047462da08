// The demo that ships with Causeway: a small repository as a git bundle, and a report about it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DemoDeps } from '../terminal/demo.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'demo');

export function shippedDemo(): DemoDeps['demo'] {
  return {
    source: { kind: 'path', path: path.join(FOLDER, 'corner-shop.bundle') },
    report: readFileSync(path.join(FOLDER, 'report.md'), 'utf8'),
  };
}
