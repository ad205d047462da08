// The parts of `npm run eval`, in the order in which they are run.
import { CI_LINES } from './ci-lines.ts';
import { CI_NAMES } from './ci-names.ts';
import { CI_PLACES } from './ci-places.ts';
import { CLAIMS } from './claims.ts';
import { EDITS } from './edits.ts';
import { FILES, TRACES } from './files.ts';
import { FINGERPRINTS } from './fingerprints.ts';
import { FUNCTIONS } from './functions.ts';
import type { Part } from './part.ts';
import { TIES } from './ties.ts';

export const PARTS: readonly Part[] = [
  FILES,
  TRACES,
  FUNCTIONS,
  CI_LINES,
  CI_NAMES,
  CI_PLACES,
  FINGERPRINTS,
  TIES,
  EDITS,
  CLAIMS,
];
