/** The three operations of the public API, by the names that the description and the history give them. */
export const operations = ['listCampaigns', 'registerLead', 'lookupLead'] as const

export type Operation = (typeof operations)[number]
