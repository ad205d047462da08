// A stage for stories of red checks: GitHub, the service, and a model that finds their causes, for all tests of a file or for one.
import { afterAll, beforeAll } from 'vitest';
import { minutesAgo, type RedActs, redActs } from './github-red-acts.ts';
import { openRedDesk, type RedDesk } from './github-red-desk.ts';
import { type RedModel, type RedTurns, redModel } from './github-red-model.ts';
import type { ShopOptions } from './github-shop.ts';
import { type GithubStage, openGithubStage, type StageOptions } from './github-stage.ts';

interface DeskOptions extends Omit<ShopOptions, 'name'> {
  /** Checks that passed on the default branch three minutes ago; default none. */
  readonly green?: readonly string[];
}

interface RedStage extends GithubStage {
  readonly model: RedModel;
  /** Opens a shop of that name, and all that can be done there. */
  desk(name: string, options?: DeskOptions): Promise<RedDesk & RedActs>;
}

interface RedStageOptions extends Omit<StageOptions, 'script'> {
  /** Causes that the model knows besides. */
  readonly turns?: readonly RedTurns[];
}

/** Called at the head of a file: the stage of all its tests, opened before them and closed after them; empty until then. */
export function redStage(options: RedStageOptions = {}): RedStage {
  const stage = {} as RedStage;
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    Object.assign(stage, opened.use(await openRedStage(options)));
  }, 180_000);
  afterAll(() => opened.disposeAsync());
  return stage;
}

/** One that the caller closes. */
async function openRedStage({ turns = [], ...options }: RedStageOptions = {}): Promise<RedStage> {
  await using opening = new AsyncDisposableStack();
  const model = opening.use(await redModel(turns));
  const stage = opening.use(await openGithubStage({ ...options, env: { ...model.env, ...options.env } }));
  const opened = opening.move();
  return {
    ...stage,
    model,
    desk: async (name, { green = [], ...shop } = {}) => {
      const desk = await openRedDesk(stage, model, name, shop);
      const passed = Object.fromEntries(green.map((check) => [check, 'success' as const]));
      if (green.length > 0) await desk.run(await desk.tip(), passed, { at: minutesAgo(3) });
      return { ...desk, ...redActs(stage, desk) };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
