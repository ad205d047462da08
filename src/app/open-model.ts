// The models that the configuration names, as they are asked; null where there is none.
import { readFileSync } from 'node:fs';
import type { Config, EndpointConfig, ModelConfig } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import type { Model, Prices } from '../core/model.ts';
import { registerSecret } from '../log.ts';
import { createEndpointModel, type EndpointModel, type EndpointModelOptions } from '../models/endpoint-model.ts';
import { readPrices, shippedPrices } from '../models/prices.ts';
import { createScriptedModel, readScript } from '../models/scripted.ts';

export interface OpenModelOptions extends Pick<EndpointModelOptions, 'holds' | 'now'> {
  /** What the key command is run with. */
  readonly environment: Config['environment'];
}

/** The operator's own model first, then those that repositories may choose; none without one. Throws `usage` for a file that cannot be read or understood. */
export function openModels(config: ModelConfig, options: OpenModelOptions): readonly Model[] {
  switch (config.kind) {
    case 'none':
      return [];
    case 'scripted':
      return [createScriptedModel(readScript(fileNamed('MODEL=scripted:', config.file)))];
    case 'endpoint':
      return [config.name, ...config.others].map((name) => openEndpointModel({ ...config, name }, options));
  }
}

/** The model of `config.name`. */
export function openEndpointModel(config: EndpointConfig, options: OpenModelOptions): EndpointModel {
  for (const { apiKey } of [config.openai, config.anthropic]) if (apiKey !== '') registerSecret(apiKey);
  for (const [, value] of config.headers) registerSecret(value);
  return createEndpointModel({
    ...options,
    settings: config,
    prices: pricesOf(config),
    timeoutMs: config.timeoutMs,
    idleMs: config.idleMs,
    random: Math.random,
    onKey: registerSecret,
  });
}

function pricesOf({ pricesFile, name }: EndpointConfig): Prices | null {
  const own = pricesFile === null ? null : readPrices(fileNamed('MODEL_PRICES', pricesFile), name);
  return own ?? shippedPrices(name);
}

/** The text of a file that a setting names. Throws `usage` where it cannot be read. */
export function fileNamed(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new CausewayError('usage', `${setting} names ${file}, which cannot be read (${code}).`);
  }
}
