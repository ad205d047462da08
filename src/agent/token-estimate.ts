// How many tokens a text is about, for budgets and caps; the endpoint's own figures replace it where it gives them.
import type { ModelRequest } from '../core/model.ts';

/** UTF-8 bytes a token: real source gives 4.9 characters, so 4 errs on the safe side; a CJK character counts as three quarters. */
const BYTES_PER_TOKEN = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** The whole prompt: messages and tools as they go over the wire, more or less. */
export function estimatePrompt(request: Pick<ModelRequest, 'messages' | 'tools'>): number {
  return estimateTokens(JSON.stringify(request.messages)) + estimateTokens(JSON.stringify(request.tools));
}
