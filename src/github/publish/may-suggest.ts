// Whether the change of a result may stand in the pull request's files as suggestions, as far as it can be said without asking GitHub. Pure.
import { isEnded } from '../../core/investigation.ts';
import type { View } from './deps.ts';
import { isUnasked, maySpeak } from './unasked.ts';

/** Once for each result, at the head that was analysed; never what a person must look at first. Unasked where a comment is allowed alone. */
export function maySuggest(view: View): boolean {
  const { thread, record, result, pull, investigation } = view;
  if (thread.subject.kind !== 'pull_request' || result === null || !isEnded(investigation.outcome)) return false;
  if (record.suggested?.investigationId === thread.investigationId) return false;
  const { outcome, guards, revision } = result.issue.analysis;
  if (outcome !== 'code_fix' || result.issue.diff.files.length === 0 || guards.length > 0) return false;
  if (pull?.state !== 'open' || pull.headSha !== revision) return false;
  return !isUnasked(view) || maySpeak(view);
}
