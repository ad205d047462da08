// The ids of an HTTP request on every line that is logged for it: ours, and the caller's own, which only names it.
import { addLogContext } from '../log.ts';

/** Whatever else a caller sends is not worth a line of the log. */
const NAME = /^[\w.:=-]{1,100}$/;

export function noteRequest(requestId: string, { headers }: Pick<Request, 'headers'>): void {
  const theirs = headers.get('X-Request-Id') ?? '';
  addLogContext(NAME.test(theirs) ? { requestId, callerRequestId: theirs } : { requestId });
}
