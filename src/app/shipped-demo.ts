// The demo that ships with Causeway: a small repository as a git bundle, reports about it, and a script that plays the model.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { DemoDeps } from '../cli/demo.ts';
import type { LocalProject } from './local-projects.ts';

const FOLDER = path.join(import.meta.dirname, '..', '..', 'demo');

/** What a model answers to the demo's report, as `MODEL=scripted:FILE` reads it. */
export const DEMO_SCRIPT = path.join(FOLDER, 'corner-shop.script.json');

const SOURCE = { kind: 'path', path: path.join(FOLDER, 'corner-shop.bundle') } as const;

/** The demo's repository as a project of local mode. */
export const DEMO_PROJECT: LocalProject = { name: 'local/corner-shop', source: SOURCE };

export function shippedDemo(): DemoDeps['demo'] {
  return { source: SOURCE, report: readFileSync(path.join(FOLDER, 'report.md'), 'utf8') };
}

/** The same problem in a few lines: short enough to be pasted into a terminal. */
export function firstReport(): string {
  return readFileSync(path.join(FOLDER, 'first-report.txt'), 'utf8').trimEnd();
}
