// An investigation that waits or runs, as the pages name it: by its report, and by what is done for it now.

import type { Running } from '../services/index.ts';
import { getFirstSentence } from './text.ts';

/** What names it in a list and above its page, as `getHeadline` names its Issue. May contain backticks. */
export function getRunningTitle({ title }: Running): string {
  return getFirstSentence(title);
}

/** Without a full stop. */
export function describeActivity({ phase, isAsking }: Running): string {
  switch (phase) {
    case 'waits':
      return 'Waiting for its turn';
    case 'reads':
      return 'Reading the report';
    case 'searches':
      return 'Searching the source';
    case 'asks':
      return isAsking ? 'Waiting for the model' : 'Looking up what the model asked for';
    case 'verifies':
      return 'Checking the answer';
    case 'ended':
      return 'Ended';
  }
}
