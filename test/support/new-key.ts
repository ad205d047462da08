// A private key as GitHub makes one for an App, made anew for each test process.
import { generateKeyPairSync } from 'node:crypto';

/** PEM, PKCS #1 as GitHub gives it. */
export const APP_KEY: string = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs1', format: 'pem' })
  .toString();

export const WEBHOOK_SECRET = 'a secret of at least thirty-two characters';

/** The settings of an App, as the environment has them. */
export const APP_ENVIRONMENT: Readonly<Record<string, string>> = {
  APP_ID: '4711',
  PRIVATE_KEY: APP_KEY,
  WEBHOOK_SECRET,
};
