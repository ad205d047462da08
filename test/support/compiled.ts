// What services of one run of the tests compile to, kept for the next one that is started: each has a data folder of its own, and would begin anew.
import { tmpdir } from 'node:os';
import path from 'node:path';

/** For the environment of a service. Measurements go without: they say what a person waits for. */
export const COMPILED: Readonly<Record<string, string>> =
  process.env['VITEST'] === undefined ? {} : { NODE_COMPILE_CACHE: path.join(tmpdir(), 'causeway-compiled') };
