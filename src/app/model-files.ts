// The files that an operator names for models: prices, and the script that plays one. What the models package finds wrong in them
// becomes our error here, with the setting that names the file.
import { readFileSync } from 'node:fs';
import {
  createScriptedModel,
  type Model,
  ModelFileFault,
  type ModelRequest,
  type Prices,
  readPrices,
  readScript,
} from 'causeway-models';
import { CausewayError } from '../core/errors.ts';
import { JUDGE, SCRIPTED_MODEL } from '../core/issue/index.ts';

/** Throws `usage` where it cannot be read. */
export function readNamedFile(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new CausewayError('usage', `${setting} names ${file}, which cannot be read (${code}).`);
  }
}

/** The prices that the file of MODEL_PRICES has for the model; null: none. Throws `usage`. */
export function readPricesFile(file: string, modelName: string): Prices | null {
  const text = readNamedFile('MODEL_PRICES', file);
  return explainFileFault('The file of MODEL_PRICES', () => readPrices(text, modelName));
}

/** The model that `MODEL=scripted:FILE` means. Throws `usage`. */
export function openScriptedModel(file: string): Model {
  const text = readNamedFile('MODEL=scripted:', file);
  const script = explainFileFault('The script of MODEL=scripted:FILE', () => readScript(text));
  return createScriptedModel(script, { name: SCRIPTED_MODEL, secondLookTool: JUDGE, complete: citeSteps });
}

function explainFileFault<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ModelFileFault)) throw error;
    throw new CausewayError('usage', `${what} is wrong: ${error.message}.`, { cause: error });
  }
}

/**
 * A citation's `"step": "call_0_2"` means the step that the third call of the first turn made: how many steps come
 * before it depends on the report. Puts its number, as the answer to the call states it, in place of the call's id.
 */
function citeSteps(written: string, { messages }: ModelRequest): string {
  return written.replace(/"step":"(call_\d+_\d+)"/g, (whole, id: string) => {
    const answer = messages.find((message) => message.role === 'tool' && message.callId === id);
    const [, step] = /^\[step (\d+)\]/.exec(answer?.content ?? '') ?? [];
    return step === undefined ? whole : `"step":${step}`;
  });
}
