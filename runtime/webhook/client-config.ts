import type {
  ServiceReference,
  WebhookClientConfig,
} from '../../generated/apis/admissionregistration/v1/webhook.ts'
import { dnsSubdomainProblems } from '../kernel/meta/names.ts'
import type { FieldError } from '../kernel/validation/field-error.ts'
import { invalid, invalidAll, required } from '../kernel/validation/field-errors.ts'
import { quoted } from '../kernel/values/quoted.ts'

/** A client configuration before validation. */
type UncheckedClientConfig = Omit<WebhookClientConfig, 'service'> & {
  readonly service?: Partial<ServiceReference> | null
}

/**
 * The field errors of a client configuration (supplement Q-09): it has to name a URL or a service,
 * and nothing but a place. Both or neither of url and service are one error, and nothing else is
 * looked at then.
 */
export function checkClientConfig(
  path: string,
  { url, service }: UncheckedClientConfig,
): readonly FieldError[] {
  const given = [url, service].filter((one) => one !== undefined && one !== null)
  if (given.length !== 1) return [required(path, 'exactly one of url or service is required')]
  return service ? checkService(`${path}.service`, service) : checkUrl(`${path}.url`, url ?? '')
}

const desiredFormat = '; desired format: https://host[/path]'

/**
 * A text that does not parse is Required and not Invalid, as in release 1.29. All other problems
 * are told together. The query is refused because the server puts its timeout there.
 */
function checkUrl(path: string, text: string): readonly FieldError[] {
  const unread = unreadable(text)
  if (unread !== undefined) {
    const why = `url must be a valid URL: parse ${quoted(text)}: ${unread}${desiredFormat}`
    return [required(path, why)]
  }
  const url = URL.canParse(text) ? new URL(text) : relativeUrl(text)
  const errors: FieldError[] = []
  if (url.protocol !== 'https:') {
    const reason = `'https' is the only allowed URL scheme${desiredFormat}`
    errors.push(invalid(path, url.protocol.slice(0, -1), reason))
  }
  if (url.host === '')
    errors.push(invalid(path, url.host, `host must be specified${desiredFormat}`))
  if (url.username !== '' || url.password !== '') {
    errors.push(invalid(path, userInformation(url), 'user information is not permitted in the URL'))
  }
  if (url.hash) {
    errors.push(invalid(path, url.hash.slice(1), 'fragments are not permitted in the URL'))
  }
  if (url.search) {
    errors.push(invalid(path, url.search.slice(1), 'query parameters are not permitted in the URL'))
  }
  return errors
}

/** Why a text is no URL, neither a whole one nor the path of one. */
function unreadable(text: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
  if (/[\x00-\x1f\x7f]/.test(text)) return 'net/url: invalid control character in URL'
  if (text.startsWith(':')) return 'missing protocol scheme'
  const [escaped] = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text) ?? []
  if (escaped !== undefined) return `invalid URL escape ${quoted(escaped)}`
  const [segment = ''] = text.split('/')
  const colon = segment.includes(':') && !scheme.test(text)
  return colon ? 'first path segment in URL cannot contain colon' : undefined
}

const scheme = /^[a-zA-Z][-+.a-zA-Z0-9]*:/

/** What is known of a text that names no host. */
function relativeUrl(text: string): Pick<URL, UrlPart> {
  const [protocol = ':'] = scheme.exec(text) ?? []
  return { protocol, host: '', username: '', password: '', hash: '', search: '' }
}

type UrlPart = 'protocol' | 'host' | 'username' | 'password' | 'hash' | 'search'

/**
 * Whether the service exists is not asked: it may be created later, and is looked up at each call.
 */
function checkService(path: string, service: Partial<ServiceReference>): readonly FieldError[] {
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

/**
 * Empty and `/` are the root. The first character is taken for the slash, whatever it is; each segment is held to the rule of DNS subdomains; one trailing
 * slash is free.
 */
function checkPath(path: string, text: string): readonly FieldError[] {
  if (text === '' || text === '/') return []
  if (text === '//') return [invalid(path, text, 'segment[0] may not be empty')]
  const start = text.startsWith('/') ? [] : [invalid(path, text, "must start with a '/'")]
  const segments = text.slice(1).replace(/\/$/, '').split('/')
  const wrong = segments.flatMap((segment, index) => {
    const problems = segment === '' ? ['may not be empty'] : dnsSubdomainProblems(segment)
    const separator = segment === '' ? ' ' : ': '
    return invalidAll(
      path,
      text,
      problems.map((problem) => `segment[${index}]${separator}${problem}`),
    )
  })
  return [...start, ...wrong]
}

function userInformation({ username, password }: Pick<URL, UrlPart>): string {
  return password === '' ? username : `${username}:${password}`
}
