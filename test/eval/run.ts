// Measures what is known without a model against cases with known answers: `npm run eval -- [PART] --cases FILE …`. See docs/evaluation.md.
import { evaluate } from './evaluate.ts';
import { PARTS } from './parts.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
process.once('SIGTERM', () => stop.abort());
process.exitCode = await evaluate(
  process.argv.slice(2),
  PARTS,
  { out: (text) => void process.stdout.write(text), err: (text) => void process.stderr.write(text) },
  stop.signal,
);
