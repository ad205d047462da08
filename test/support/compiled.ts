// What the code compiles to, kept for a run of the tests: every service, child and thread would begin anew.
import { tmpdir } from 'node:os';
import path from 'node:path';

const folder = () => path.join(tmpdir(), 'causeway-compiled');

/** For vitest's `globalSetup`: the workers, and whatever inherits their environment. */
export function setup(): void {
  process.env['NODE_COMPILE_CACHE'] ??= folder();
}

/** For the environment of a service, which inherits none. Measurements go without: they say what a person waits for. */
export const COMPILED: Readonly<Record<string, string>> =
  process.env['VITEST'] === undefined ? {} : { NODE_COMPILE_CACHE: folder() };
