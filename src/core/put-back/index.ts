// What takes the commit back that broke the default branch.
export {
  isOfferedAgain,
  isPutBackUnderWay,
  type PostedRevert,
  type PutBack,
  type PutBackRequest,
  type PutBackState,
} from './put-back.ts';
export {
  describePutBackRefusal,
  findRevertAtHome,
  formatRevertCommand,
  listProtected,
  MOST_HOME_FILES,
  type PutBackRefusal,
  type RevertAtHome,
} from './refusal.ts';
export { judgeRevert, type RevertProof } from './revert-proof.ts';
export { type ShownPutBack, toShownPutBack } from './view.ts';
