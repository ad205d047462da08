// Certificates of proofs, checked against GitHub alone with a personal token or none.
export { type ProofSource, verifyProof } from './verify-proof.ts';
