// A put-back as the API shows it.

import type { PostedRevert, PutBack } from './put-back.ts';
import { describePutBackRefusal, findRevertAtHome, formatRevertCommand } from './refusal.ts';
import type { RevertProof } from './revert-proof.ts';

export interface ShownPutBack {
  readonly commit: string;
  readonly requestedAt: string;
  readonly state: 'opening' | 'refused' | PostedRevert['state'];
  readonly pullRequest: Pick<PostedRevert, 'number' | 'url'> | null;
  /** Null: there is no pull request, or others have taken it over. */
  readonly proof: RevertProof['kind'] | null;
  readonly reason: string;
  readonly command: string;
}

export function toShownPutBack({ step, state, createdAt: requestedAt }: PutBack): ShownPutBack {
  const none = { commit: step.sha, requestedAt, pullRequest: null, proof: null, reason: '', command: '' };
  switch (state.kind) {
    case 'requested':
    case 'opening':
      return { ...none, state: 'opening' };
    case 'opened': {
      const { number, url, isTaken, proof } = state.pull;
      return { ...none, state: state.pull.state, pullRequest: { number, url }, proof: isTaken ? null : proof.kind };
    }
    case 'refused': {
      const home = findRevertAtHome(state.reason);
      const command = home === null ? '' : formatRevertCommand(home);
      return { ...none, state: 'refused', reason: describePutBackRefusal(state.reason), command };
    }
  }
}
