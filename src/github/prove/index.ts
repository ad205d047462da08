// The proof of a pull request that is not ours: its tests alone on its base, beside the checks of its own head.
export { createProveHandler } from './prove-job.ts';
export { tidyProofs } from './tidy-proofs.ts';
