// The key of browsers' sessions: what seals their sign-in, and what forms are proven with.
import { hkdfSync } from 'node:crypto';

/**
 * 32 bytes, from SESSION_SECRET, or where that is not set from the encryption key, which is kept anyway. Another one ends no session, and
 * spoils the forms and sign-ins that are under way.
 */
export function sessionKey(secret: string | null, encryptionKey: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret ?? encryptionKey, '', 'causeway sessions', 32));
}
