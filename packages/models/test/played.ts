// What a double says: turn n where the request holds n turns of the model's own, so that a run that goes on gets the right one.
import type { AskedRequest, ModelEndpoint } from './model-endpoint.ts';

export interface PlayedCall {
  readonly name: string;
  /** An object, or the text as it is to stand on the wire. */
  readonly arguments: unknown;
}

interface PlayedTurn {
  readonly say?: string;
  readonly calls?: readonly PlayedCall[];
}

/** A turn, or what makes one from what was asked. */
export type Played = PlayedTurn | ((asked: AskedRequest) => PlayedTurn);

/** The turns of every conversation, or of the one that a request belongs to. */
export type Turns = readonly Played[] | ((asked: AskedRequest) => readonly Played[]);

export function call(name: string, args: unknown): PlayedCall {
  return { name, arguments: args };
}

/** Number of turns that the request holds already. */
export function turnsIn({ body }: AskedRequest): number {
  return body.messages.filter(({ role }) => role === 'assistant').length;
}

/** What turn n costs: another figure for each, so that none can be taken for another. */
export function usageOfTurn(turn: number) {
  return {
    prompt_tokens: 2_000 + 101 * turn,
    completion_tokens: 40 + turn,
    prompt_tokens_details: { cached_tokens: 1_000 + 50 * turn },
  };
}

/** The turn that is played where that is asked; past the end, a text that is no conclusion. */
export function playTurn(turns: Turns, asked: AskedRequest): Required<PlayedTurn> {
  const own = typeof turns === 'function' ? turns(asked) : turns;
  const played = own[turnsIn(asked)] ?? { say: 'I have nothing more to say.' };
  return { say: '', calls: [], ...(typeof played === 'function' ? played(asked) : played) };
}

export type Moment = 'asked' | 'answered';

export interface HeldModel extends AsyncDisposable {
  readonly endpoint: ModelEndpoint;
  /**
   * Resolves at the `count`th moment of that kind from now on; a question whose moment is awaited with `asked` is never answered.
   * A later call takes the place of this one.
   */
  at(moment: Moment, count: number): Promise<AskedRequest>;
  /** From now on every question is answered at once. */
  release(): void;
}
