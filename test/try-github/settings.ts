// Reads what the story needs from the environment, by the names that Causeway itself has for it. What is missing is named with its repair.
import { readFileSync } from 'node:fs';
import type { Ground } from './ground.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type Settings =
  | { readonly kind: 'ground'; readonly ground: Ground }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

const HOOK = '/api/github/webhooks';

/** `scripted`: what plays the model where the environment names none. */
export function readSettings(environment: Environment, sandbox: string, scripted: string): Settings {
  const value = (name: string) => (environment[name] === '' ? undefined : environment[name]);
  const problems: string[] = [];
  const need = (name: string, repair: string): string => {
    const found = value(name) ?? readNamed(value(`${name}_FILE`));
    if (found === undefined) problems.push(`${name} is not set: ${repair}`);
    return found ?? '';
  };
  const id = need('APP_ID', "the App's number, from its settings.");
  const privateKey = value('PRIVATE_KEY') ?? readNamed(value('PRIVATE_KEY_PATH') ?? value('PRIVATE_KEY_FILE'));
  if (privateKey === undefined)
    problems.push('PRIVATE_KEY_PATH names no file that can be read: a private key of the App, from its settings.');
  need('WEBHOOK_SECRET', "the one in the App's settings.");
  const token = need(
    'GITHUB_TOKEN',
    `a token of a person with write on ${sandbox} (classic: repo and workflow; fine-grained: contents, issues, pull requests and workflows to write).`,
  );
  const proxy = value('WEBHOOK_PROXY_URL');
  const publicUrl = value('PUBLIC_URL')?.replace(/\/$/, '');
  if (proxy === undefined && publicUrl === undefined) {
    problems.push(
      "WEBHOOK_PROXY_URL is not set: open a channel at https://smee.io/new, and make it the App's webhook URL (or PUBLIC_URL, where GitHub reaches this machine).",
    );
  }
  const isModelSet = value('MODEL') !== undefined && value('MODEL') !== 'none';
  const keys = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY'].filter((name) => value(name) !== undefined);
  if (!isModelSet && keys.length > 0)
    problems.push(`${keys[0]} is set, and MODEL is not: name the model, or remove the key to have a script play it.`);
  if (problems.length > 0) return { kind: 'problems', problems };
  const host = value('GHE_HOST');
  const webUrl = host === undefined ? 'https://github.com' : `${value('GHE_PROTOCOL') ?? 'https'}://${host}`;
  return {
    kind: 'ground',
    ground: {
      apiUrl: host === undefined ? 'https://api.github.com' : `${webUrl}/api/v3`,
      ...{ webUrl, sandbox, token },
      app: { id, privateKey: (privateKey ?? '').replaceAll('\\n', '\n') },
      // Of a channel it reads itself, wherever it listens.
      port: Number(value('PORT') ?? (proxy === undefined ? 3_000 : 0)),
      hookUrl: proxy ?? `${publicUrl}${HOOK}`,
      environment: isModelSet ? environment : { ...environment, MODEL: scripted },
    },
  };
}

function readNamed(file: string | undefined): string | undefined {
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
