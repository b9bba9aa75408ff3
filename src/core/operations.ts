/**
 * The three operations of the public API, by the names that the description and the history give them. The
 * history stores an operation by its position here: add new ones at the end.
 */
export const operations = ['listCampaigns', 'registerLead', 'lookupLead'] as const

export type Operation = (typeof operations)[number]
