// A model behind the wire that tells of every question before and after it answers, and waits where it is told to.
import { once } from 'node:events';
import { type AskedRequest, modelEndpoint } from '../../packages/models/test/model-endpoint.ts';
import { type HeldModel, type Moment, type Played, turnsIn } from '../../packages/models/test/played.ts';
import { isSecondLook, plays } from './played-model.ts';

interface Awaited {
  readonly moment: Moment;
  left: number;
  readonly reached: (asked: AskedRequest) => void;
}

export async function heldModel(turns: readonly Played[]): Promise<HeldModel> {
  let awaited: Awaited | null = null;
  /** Whether this is the moment that is awaited. */
  const reaches = (moment: Moment, asked: AskedRequest): boolean => {
    if (awaited?.moment !== moment) return false;
    awaited.left -= 1;
    if (awaited.left > 0) return false;
    awaited.reached(asked);
    return true;
  };
  const endpoint = await modelEndpoint(async (response, request, asked) => {
    if (reaches('asked', asked)) return;
    const finished = once(response, 'finish');
    await plays(turns)(response, request, asked);
    await finished;
    reaches('answered', asked);
  });
  return {
    endpoint,
    at: (moment, count) =>
      new Promise((reached) => {
        awaited = { moment, left: count, reached };
      }),
    release: () => {
      awaited = null;
    },
    [Symbol.asyncDispose]: () => endpoint[Symbol.asyncDispose](),
  };
}

/** Numbers of the turns that were asked for, without second looks, in the order of the questions. */
export function turnsAsked({ endpoint }: HeldModel): readonly number[] {
  return endpoint.requests.filter((asked) => !isSecondLook(asked)).map(turnsIn);
}
