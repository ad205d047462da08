// Secrets at rest: AES-256-GCM, each bound to what it is for, so that a sealed text moved to another row does not open.
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { CausewayError } from '../core/errors.ts';

export interface Seal {
  /** `v1.` and base64url of nonce, tag and text. `purpose` must be given again to open it. */
  seal(secret: string, purpose: string): string;
  /** Throws `store_unusable` where key or purpose are not those that it was sealed with. */
  open(sealed: string, purpose: string): string;
}

const VERSION = 'v1.';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `key`: 32 bytes. Throws `invalid` for any other length. */
export function createSeal(key: Buffer): Seal {
  if (key.length !== 32) {
    throw new CausewayError('invalid', `The encryption key has ${key.length} bytes; it must have 32.`);
  }
  // Created once: from bytes, each call would create a key, which takes longer than sealing a delivery.
  const secretKey = createSecretKey(key);
  return {
    seal(secret, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', secretKey, nonce).setAAD(label(purpose));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
    },
    open(sealed, purpose) {
      try {
        if (!sealed.startsWith(VERSION)) throw new Error('unknown version');
        const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
        const nonce = bytes.subarray(0, NONCE_BYTES);
        const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
        const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
        const decipher = createDecipheriv('aes-256-gcm', secretKey, nonce, { authTagLength: TAG_BYTES });
        decipher.setAAD(label(purpose)).setAuthTag(tag);
        return decipher.update(text, undefined, 'utf8') + decipher.final('utf8');
      } catch (error) {
        throw new CausewayError(
          'store_unusable',
          'A stored secret cannot be opened: it was encrypted with another key. ' +
            'Restore encryption.key in DATA_DIR from the backup, or set ENCRYPTION_KEY to the earlier key.',
          { cause: error },
        );
      }
    },
  };
}

function label(purpose: string): Buffer {
  return Buffer.from(`causeway ${VERSION}${purpose}`);
}
