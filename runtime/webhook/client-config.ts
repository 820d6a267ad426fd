/** Whether what an object says of the place of a webhook is a place (supplement Q-09). */

import { dnsSubdomainProblems } from '../kernel/meta/names.ts'
import type { FieldError } from '../kernel/validation/field-error.ts'
import { invalid, invalidAll, required } from '../kernel/validation/field-errors.ts'

/** Where a webhook is reached, as somebody wrote it. */
export interface ClientConfig {
  readonly url?: string
  readonly service?: {
    readonly name?: string
    readonly namespace?: string
    readonly path?: string
    readonly port?: number
  } | null
  readonly caBundle?: string
}

type Findings = readonly FieldError[]

/** Either a URL or a service, and nothing in it that would say more than a place. */
export function checkClientConfig(path: string, { url, service }: ClientConfig): Findings {
  const given = [url, service].filter((one) => one !== undefined && one !== null)
  if (given.length !== 1) return [required(path, 'exactly one of url or service is required')]
  return service ? checkService(`${path}.service`, service) : checkUrl(`${path}.url`, url ?? '')
}

const desiredFormat = '; desired format: https://host[:port]/path'

function checkUrl(path: string, text: string): Findings {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return [required(path, `url must be a valid URL${desiredFormat}`)]
  const user = url.username !== '' || url.password !== ''
  return [
    ...(url.protocol === 'https:'
      ? []
      : [
          invalid(
            path,
            url.protocol.slice(0, -1),
            `'https' is the only allowed URL scheme${desiredFormat}`,
          ),
        ]),
    ...(url.host === '' ? [invalid(path, url.host, `host must be specified${desiredFormat}`)] : []),
    ...(user ? [invalid(path, url.username, 'user information is not permitted in the URL')] : []),
    ...(url.hash
      ? [invalid(path, url.hash.slice(1), 'fragments are not permitted in the URL')]
      : []),
    ...(url.search
      ? [invalid(path, url.search.slice(1), 'query parameters are not permitted in the URL')]
      : []),
  ]
}

function checkService(path: string, service: NonNullable<ClientConfig['service']>): Findings {
  const { name = '', namespace = '', port = 443 } = service
  return [
    ...(name === '' ? [required(`${path}.name`, 'service name is required')] : []),
    ...(namespace === '' ? [required(`${path}.namespace`, 'service namespace is required')] : []),
    ...(port < 1 || port > 65535
      ? [invalid(`${path}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]
      : []),
    ...checkPath(`${path}.path`, service.path ?? ''),
  ]
}

function checkPath(path: string, text: string): Findings {
  if (text === '' || text === '/') return []
  if (text === '//') return [invalid(path, text, 'segment[0] may not be empty')]
  if (!text.startsWith('/')) return [invalid(path, text, "must start with a '/'")]
  const steps = text.slice(1).replace(/\/$/, '').split('/')
  return steps.flatMap((step, index) =>
    step === ''
      ? [invalid(path, text, `segment[${index}] may not be empty`)]
      : invalidAll(
          path,
          text,
          dnsSubdomainProblems(step).map((why) => `segment[${index}]: ${why}`),
        ),
  )
}
