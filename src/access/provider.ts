// The only file that talks to the OpenID Connect provider. It says who somebody is there; identities.ts decides whether
// they may enter.
import * as client from 'openid-client'

/** `isOnly`: nobody signs in by password. */
export type ProviderSettings = { issuer: string; clientId: string; clientSecret: string; isOnly: boolean }

/** Who somebody is at the provider; `email` is of any form, and null where it does not say that the address is theirs. */
export type Identity = { issuer: string; subject: string; email: string | null }

/** What the provider's answer is checked against, kept in the browser that began. */
export type Checks = { state: string; nonce: string; verifier: string }

export type Provider = ReturnType<typeof openProvider>

/** The provider failed or refused, or its answer does not match the request. */
export type ProviderFault = 'PROVIDER_DOWN' | 'PROVIDER_REFUSED' | 'PROVIDER_INVALID'

export class ProviderFailed extends Error {
  override name = 'ProviderFailed'
  readonly fault: ProviderFault
  /** For the log: the library's code, or OAuth's own, such as `invalid_client`. */
  readonly code: string

  constructor(fault: ProviderFault, cause: unknown) {
    super(fault, { cause })
    this.fault = fault
    const { error, code } = cause as { error?: unknown; code?: unknown }
    this.code = [error, code].map(String).find((text) => /^(?!undefined$)\w{1,60}$/.test(text)) ?? 'unknown'
  }
}

/** The time for each of the few requests of a sign-in. */
const timeoutSeconds = 5
/** A description, keys or tokens take some kilobytes. */
const mostBytes = 1_000_000
/** How long its description is believed: an address in it may move. */
const keptMs = 3_600_000

export function openProvider(settings: ProviderSettings) {
  let known: Promise<Described> | undefined
  let knownUntil = 0
  /** Fetched at first use, and again after a failure: the server starts even if the provider is down. */
  const configuration = () => {
    if (performance.now() >= knownUntil) {
      known = undefined
      knownUntil = performance.now() + keptMs
    }
    known ??= discover(settings).catch((error) => {
      known = undefined
      throw new ProviderFailed('PROVIDER_DOWN', error)
    })
    return known
  }
  const fail = (error: unknown): never => {
    const fault = faultOf(error)
    // What it says of itself may be incomplete or out of date.
    if (fault !== 'PROVIDER_REFUSED') known = undefined
    throw new ProviderFailed(fault, error)
  }
  return {
    isOnly: settings.isOnly,
    /** Where the browser goes to sign in. @throws ProviderFailed */
    async begin(redirectUri: string): Promise<{ url: string; checks: Checks }> {
      const { config } = await configuration()
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      }
      return { url: await startAt(config, redirectUri, checks).catch(fail), checks }
    },
    /** Who came back, from the query of their return. @throws ProviderFailed */
    async finish(redirectUri: string, query: string, checks: Checks): Promise<Identity> {
      const described = await configuration()
      return identify(described, new URL(`${redirectUri}?${query}`), checks).catch(fail)
    },
  }
}

/** The provider's own description, and how the client's secret is sent to it. */
type Described = { config: client.Configuration; shown: { way: client.ClientAuth; other: client.ClientAuth } }

async function discover({ issuer, clientId, clientSecret }: ProviderSettings): Promise<Described> {
  // Both are usual, and a provider may be set to accept only one of them from this client.
  const shown = { way: client.ClientSecretBasic(clientSecret), other: client.ClientSecretPost(clientSecret) }
  const showSecret: client.ClientAuth = (...request) => shown.way(...request)
  // The signature is checked too, not only that the token came from the provider itself.
  const execute = [client.enableNonRepudiationChecks]
  if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests)
  const options = { execute, timeout: timeoutSeconds, [client.customFetch]: fetchShort }
  const config = await client.discovery(new URL(issuer), clientId, {}, showSecret, options)
  return { config, shown }
}

/** An answer that is too long counts as one that breaks off. */
const fetchShort: client.CustomFetch = async (url, options) => {
  const answer = await fetch(url, options as RequestInit)
  let bytes = 0
  const short = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, stream) {
      bytes += chunk.length
      if (bytes > mostBytes) throw new TypeError('terminated')
      stream.enqueue(chunk)
    },
  })
  return new Response(answer.body?.pipeThrough(short), answer)
}

async function startAt(config: client.Configuration, redirectUri: string, checks: Checks): Promise<string> {
  const { href } = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid email',
    state: checks.state,
    nonce: checks.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
    code_challenge_method: 'S256',
  })
  return href
}

async function identify(provider: Described, address: URL, checks: Checks): Promise<Identity> {
  const { config, shown } = provider
  const { way, other } = shown
  const exchange = () =>
    client.authorizationCodeGrant(config, address, {
      pkceCodeVerifier: checks.verifier,
      expectedState: checks.state,
      expectedNonce: checks.nonce,
      idTokenExpected: true,
    })
  const tokens = await exchange().catch((error) => {
    if ((error as { status?: number }).status !== 401) throw error
    // Assigned from what was read above, not swapped: several who are refused at once would swap it back.
    Object.assign(shown, { way: other, other: way })
    // If it is refused again, for another reason, this is forgotten with the description.
    return exchange()
  })
  const claims = tokens.claims() as client.IDToken
  // All with an empty one would be one person. PostgreSQL keeps neither NUL nor half a surrogate pair.
  if (claims.sub === '' || claims.sub.includes('\0') || !claims.sub.isWellFormed()) {
    throw Object.assign(new Error('the subject cannot be kept'), { code: 'INVALID_SUBJECT' })
  }
  const { userinfo_endpoint: hasMore } = config.serverMetadata()
  const isElsewhere = claims.email === undefined && hasMore !== undefined
  const about = isElsewhere ? await client.fetchUserInfo(config, tokens.access_token, claims.sub) : claims
  return { issuer: claims.iss, subject: claims.sub, email: verifiedEmail(about) }
}

/** Microsoft Entra ID says by `xms_edov` that the domain's owner has verified an address. */
function verifiedEmail({ email, email_verified, xms_edov }: Record<string, unknown>): string | null {
  const isVerified = email_verified === true || (email_verified === undefined && (xms_edov === true || xms_edov === 1))
  return isVerified && typeof email === 'string' ? email : null
}

const downCodes = [
  ...['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'],
  // An address in its description is missing, or not one of http.
  ...['OAUTH_MISSING_SERVER_METADATA', 'OAUTH_INVALID_SERVER_METADATA'],
  ...['OAUTH_HTTP_REQUEST_FORBIDDEN', 'OAUTH_REQUEST_PROTOCOL_FORBIDDEN'],
]

function faultOf(error: unknown): ProviderFault {
  if (error instanceof client.AuthorizationResponseError) {
    const isDown = ['server_error', 'temporarily_unavailable'].includes(error.error)
    return isDown ? 'PROVIDER_DOWN' : 'PROVIDER_REFUSED'
  }
  const { code, cause } = error as { code?: unknown; cause?: { cause?: { name?: unknown; message?: unknown } } }
  // To the library, an answer that stops in its middle is one that cannot be parsed.
  const { name, message } = cause?.cause ?? {}
  const isCut = name === 'TimeoutError' || message === 'terminated'
  // `fetch` throws a TypeError if nobody answers.
  const isDown = error instanceof TypeError || isCut || downCodes.includes(String(code))
  return isDown ? 'PROVIDER_DOWN' : 'PROVIDER_INVALID'
}
