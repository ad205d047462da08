// `causeway verify-proof`: the certificate of a pull request, in its body or in a file, checked against GitHub.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { condenseLog } from 'causeway-ci-log';
import type { VerifyProofCommand } from '../cli/command-line.ts';
import { formatVerifiedProof } from '../cli/operator-text.ts';
import type { ExitCode, Io } from '../cli/terminal.ts';
import type { Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import type { VerifiedProof } from '../core/proof/index.ts';
import { type ProofSource, verifyProof } from '../github/index.ts';
import { createCheckReader } from '../services/index.ts';
import { USER_AGENT } from './services.ts';

export async function verifyProofCommand(
  { file, url, app }: VerifyProofCommand,
  { config, io }: { readonly config: Config; readonly io: Io },
  signal: AbortSignal,
): Promise<ExitCode> {
  const { githubToken: token, githubApiUrl: apiUrl, githubWebUrl: webUrl } = config;
  await using reader = createCheckReader();
  const text = file === null ? null : await readCertificate(path.resolve(io.cwd, file));
  const source: ProofSource = url === null ? { kind: 'text', text: text ?? '' } : { kind: 'pull', url, text };
  const options = {
    token,
    apiUrl,
    webUrl,
    userAgent: USER_AGENT,
    readCheck: reader.readCheck,
    shortenLog: condenseLog,
    app,
  };
  const verified = await verifyProof(source, options, signal);
  io.out(formatVerifiedProof(verified, file));
  return EXIT_CODES[verified.state];
}

const EXIT_CODES: Readonly<Record<VerifiedProof['state'], ExitCode>> = { confirmed: 0, denied: 1, not_verifiable: 4 };

async function readCertificate(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new CausewayError('usage', `${file} cannot be read: give a certificate or the address of a pull request.`, {
      cause,
    });
  }
}
