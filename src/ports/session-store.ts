// The door to what is remembered of signing in: sessions, and what counts once, such as codes and states. Of secrets only hashes are kept.
import type { Account } from '../core/account.ts';
import type { Session } from '../core/session.ts';

export interface SessionStore {
  /** Null: there is no such account. */
  account(id: string): Promise<Account | null>;
  /** A code with which somebody at this machine signs in, once; codes of the account that were not used until now are forgotten. */
  addSignInCode(code: {
    readonly hash: string;
    readonly accountId: string;
    readonly expiresAt: string;
    readonly now: string;
  }): Promise<void>;
  /** Whose code it is, this once; null: unknown, used or expired. */
  useSignInCode(hash: string, now: string): Promise<Account | null>;
  /** False where this was used before; it is remembered until it expires: states of sign-ins, and forms that must count once. */
  useOnce(hash: string, times: { readonly expiresAt: string; readonly now: string }): Promise<boolean>;
  addSession(session: Session, hash: string): Promise<void>;
  /** Expired ones too: the caller judges by its own clock. */
  sessionByHash(hash: string): Promise<{ readonly session: Session; readonly account: Account } | null>;
  /** The last started first. */
  sessions(accountId: string): Promise<readonly Session[]>;
  /** Notes that it was used, to the minute. */
  touchSession(id: string, now: string): Promise<void>;
  /** False where the account has no such session. */
  endSession(id: string, accountId: string, now: string): Promise<boolean>;
  /** Ends every session of the person and revokes every token: they took the App's authorization back. */
  endAccess(githubId: number, now: string): Promise<void>;
}
