// Who asks: accounts, their tokens and the secrets that sign what they are told.
import type { Account, TokenRecord } from '../core/account.ts';
import type { Acting, Counted } from './acting.ts';

export interface AccountStore {
  /**
   * The account of that GitHub number (null: of that login); made where it is missing, its login brought up to date. Where another
   * account holds the login, that one's person has been renamed and loses it. `signingSecret` (`whsec_…`) is only used when it is made.
   */
  ensureAccount(account: {
    readonly login: string;
    readonly githubId: number | null;
    readonly signingSecret: string;
    readonly now: string;
  }): Promise<Account>;
  /** All of them, by login. */
  accounts(): Promise<readonly Account[]>;
  /** `repeated`: the key was used before, and nothing was done. */
  addToken(token: TokenRecord, hash: string, how?: Counted & Acting): Promise<'done' | 'repeated'>;
  /** The token and its account, revoked or expired ones too (the caller judges by its own clock); null: unknown. */
  tokenByHash(hash: string): Promise<{ readonly token: TokenRecord; readonly account: Account } | null>;
  /** Newest first. */
  tokens(accountId: string): Promise<readonly TokenRecord[]>;
  /** False where there is no such token of the account or it was revoked before. */
  revokeToken(id: string, accountId: string, now: string, how?: Acting): Promise<boolean>;
  touchToken(id: string, now: string): Promise<void>;
  /** Secrets that sign now, newest first: two during a rotation. */
  signingSecrets(accountId: string, now: string): Promise<readonly string[]>;
  /** The new secret signs from now on; the one before it beside it until `overlapUntil`. `repeated`: as with `addToken`. */
  rotateSigningSecret(
    rotation: {
      readonly accountId: string;
      readonly secret: string;
      readonly overlapUntil: string;
      readonly now: string;
    } & Counted &
      Acting,
  ): Promise<'done' | 'repeated'>;
  /** For the audit log: somebody had the account's signing secret shown. */
  noteSecretShown(accountId: string, now: string, how?: Acting): Promise<void>;
}
