// Accounts, keys and campaigns as one part of the store. Every change raises the version before it writes a row: on
// PostgreSQL this makes changes of one account wait for each other.
import { createAccount, findAccount, listAccounts, updateAccount } from './accounts.ts'
import {
  applyCampaign,
  archiveCampaign,
  countPublished,
  deleteCampaign,
  deletedCampaigns,
  findCampaign,
  isLiveWithLead,
  listCampaigns,
  listCampaignsById,
  listNewestCampaigns,
  listPublishedTerms,
  newestCampaign,
  newestPublished,
} from './campaigns.ts'
import {
  createKey,
  findKey,
  findLiveKey,
  listKeys,
  listRecentKeys,
  noteKeyUses,
  renameKey,
  replaceKey,
  revokeKey,
} from './keys.ts'
import { hasLeadsOrVisitors, removeDeleted } from './lead-sql.ts'
import { boundTo, type Runner } from './sql.ts'

/** Each call rejects with StoreUnavailable if the database does not answer. */
export type Configuration = ReturnType<typeof configurationOn>

export function configurationOn({ read, snapshot, write, writeUnflushed }: Runner) {
  return {
    ...boundTo(read, { listAccounts, findAccount, listKeys, listRecentKeys, findKey, findLiveKey }),
    ...boundTo(read, { listCampaigns, listNewestCampaigns, listCampaignsById }),
    ...boundTo(read, { listPublishedTerms, countPublished, newestPublished }),
    ...boundTo(read, { newestCampaign, isLiveWithLead, hasLeadsOrVisitors, deletedCampaigns }),
    ...boundTo(snapshot, { findCampaign }),
    ...boundTo(write, { createAccount, updateAccount, createKey, renameKey, revokeKey, replaceKey }),
    ...boundTo(write, { applyCampaign, archiveCampaign, deleteCampaign }),
    ...boundTo(writeUnflushed, { removeDeleted, noteKeyUses }),
  }
}
