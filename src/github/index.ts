// The GitHub App beyond one folder: its app function, its certificates, and addresses on GitHub as reports.
export { createCausewayApp } from './app.ts';
export { type ClosedIssue, createReadingToken, readClosedIssues } from './closed-issues.ts';
export { createOutcomeHandler } from './look-at-outcome.ts';
export { createAddressReader } from './read-address.ts';
export { type ProofSource, verifyProof } from './verify/index.ts';
