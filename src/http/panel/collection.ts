// The operations as a collection, Postman's format 2.1.0, which Bruno and others import as well.
import { operations } from '../../core/operations.ts'
import { type ApiRequest, apiRequest } from './api-request.ts'

/** The campaign and the key are empty: the panel fills in the one, each reader the other. */
export function collection(baseUrl: string) {
  return {
    info: {
      name: 'Lastcall',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: baseUrl, type: 'string' },
      // The format has no type for secrets; newer programs hide what is marked so.
      { key: 'key', value: '', type: 'string', secret: true },
      { key: 'campaignId', value: '', type: 'string' },
    ],
    item: operations.map((name) => item(apiRequest(name, '{{baseUrl}}', '{{campaignId}}'))),
  }
}

function item({ summary, method, url, body }: ApiRequest) {
  const [address = '', query = ''] = url.split('?')
  const [host = '', ...path] = address.split('/')
  return {
    name: summary,
    request: {
      method,
      header: body === null ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      url: {
        raw: url,
        host: [host],
        path,
        query: [...new URLSearchParams(query)].map(([key, value]) => ({ key, value })),
      },
      ...(body !== null && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(body, null, 2),
          options: { raw: { language: 'json' } },
        },
      }),
    },
    response: [],
  }
}
