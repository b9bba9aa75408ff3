/// <reference path="./oidc-provider.d.ts" />
// A provider of OpenID Connect (oidc-provider) on this machine. Everybody is signed in at once as `state.who`, and
// what its token endpoint answers can be altered on the way.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import type { Scope } from './lastcall.ts'

export type Claims = JWTPayload & Record<string, unknown>

export const oidcClient = { id: 'lastcall', secret: 'a-planted-client-secret-of-a-test' }

export async function identityProvider(scope: Scope) {
  const own = await generateKeyPair('RS256', { extractable: true })
  const foreign = await generateKeyPair('RS256')
  const state = {
    who: 'ada',
    people: {} as Record<string, Record<string, unknown>>,
    /** Changes the claims of the ID token, which is signed again. */
    alter: undefined as ((claims: Claims) => Claims) | undefined,
    /** By a key that the provider does not publish. */
    isForged: false,
    /** The provider says that somebody has refused. */
    isRefused: false,
    isDown: false,
    /** It takes the secret in no way, for the moment. */
    refusesSecret: false,
    /** What its description has instead. */
    described: undefined as Record<string, unknown> | undefined,
    /** Nothing below this path is answered; `hangs` is called. */
    hangsAt: undefined as string | undefined,
    hangs(_response: ServerResponse) {},
    tokenRequests: 0,
  }
  let provider: Provider | undefined
  let takesBasic = true
  const server = createServer(async (request, response) => {
    if (state.isDown || provider === undefined) return void response.writeHead(503).end('planted words of a proxy')
    if (state.hangsAt !== undefined && request.url?.startsWith(state.hangsAt)) return state.hangs(response)
    if (request.url?.startsWith('/token')) {
      state.tokenRequests += 1
      // The library takes the secret either way, whichever was agreed on.
      const isBasic = request.headers.authorization !== undefined
      if (state.refusesSecret || takesBasic !== isBasic) return refuseSecret(response, isBasic ? 401 : 400)
      if (state.alter || state.isForged) rewrite(response, withOtherToken)
    }
    if (request.url?.startsWith('/.well-known/') && state.described)
      rewrite(response, async (description) => ({ ...description, ...state.described }))
    if (!request.url?.startsWith('/interaction/')) return void provider.callback()(request, response)
    const refusal = { error: 'access_denied', error_description: 'planted words of a provider' }
    const result = state.isRefused ? refusal : { login: { accountId: state.who } }
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(async () => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`

  /** The answer of the token endpoint, with another ID token. */
  async function withOtherToken(answer: Record<string, unknown>): Promise<object> {
    const claims = JSON.parse(Buffer.from(String(answer.id_token).split('.')[1] ?? '', 'base64url').toString())
    const { privateKey } = state.isForged ? foreign : own
    const signing = new SignJWT(state.alter?.(claims) ?? claims).setProtectedHeader({ alg: 'RS256', kid: 'own' })
    return { ...answer, id_token: await signing.sign(privateKey) }
  }

  function rewrite(response: ServerResponse, change: (answer: Record<string, unknown>) => Promise<object>): void {
    const end = response.end.bind(response)
    const altered = async (text: string) => {
      const body = JSON.stringify(await change(JSON.parse(text)))
      response.setHeader('content-length', Buffer.byteLength(body))
      end(body)
    }
    response.end = ((body: string) => {
      altered(String(body)).catch(() => response.destroy())
      return response
    }) as typeof response.end
  }

  /** RFC 6749, 5.2. */
  function refuseSecret(response: ServerResponse, status: number): void {
    const headers = { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="token"' }
    response.writeHead(status, headers).end(JSON.stringify({ error: 'invalid_client' }))
  }

  return {
    issuer,
    state,
    settings: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: oidcClient.id, OIDC_CLIENT_SECRET: oidcClient.secret },
    /** Until then it is down: where people are sent back to is known once the server listens. */
    async open(publicUrl: string, secretShown: 'client_secret_basic' | 'client_secret_post' = 'client_secret_basic') {
      takesBasic = secretShown === 'client_secret_basic'
      const jwk = { ...(await exportJWK(own.privateKey)), kid: 'own', alg: 'RS256', use: 'sig' }
      provider = new Provider(issuer, configuration(jwk, `${publicUrl}/panel/oidc/callback`, secretShown, state.people))
    },
  }
}

function configuration(jwk: object, redirectUri: string, secretShown: string, people: Record<string, object>) {
  return {
    jwks: { keys: [jwk] },
    cookies: { keys: ['a key of a test'] },
    clients: [
      {
        ...{ client_id: oidcClient.id, client_secret: oidcClient.secret, redirect_uris: [redirectUri] },
        ...{ response_types: ['code'], grant_types: ['authorization_code'] },
        token_endpoint_auth_method: secretShown,
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'xms_edov'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...people[id] }),
    }),
    // Nobody is asked whether Lastcall may know their email.
    async loadExistingGrant(context: any) {
      const { client, session, provider } = context.oidc
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
  }
}
