// How large the body of a request may be, in bytes, surface by surface. The limit of the public API, and of those for
// events and conversions, is part of the contract: `bodyLimitBytes` in core/errors.ts.
export const widgetBodyLimitBytes = 4_096

/** Of the panel, where nothing else is said. */
export const panelBodyLimitBytes = 65_536
/** Of a body with the settings of a campaign. */
export const settingsBodyLimitBytes = 262_144
export const importBodyLimitBytes = 1_048_576

export const shopBodyLimitBytes = 4_096
export const receiverBodyLimitBytes = 65_536
