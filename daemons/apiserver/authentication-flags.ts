import { readFile } from 'node:fs/promises'
import {
  type ApiServerOptions,
  type AuthenticationOptions,
  parseStaticTokens,
  signatureAlgorithms,
} from '../../runtime/apiserver/apiserver.ts'
import type { ConfigKinds, FeatureGates, Options } from '../../runtime/config/config.ts'
import {
  type AuthenticationFile,
  followAuthenticationFile,
  readAuthenticationFile,
} from './authentication-file.ts'
import { type ServiceAccountSettings, serviceAccountSettings } from './service-account-flags.ts'

/** What the flags of authentication say. With problems, the server must not start. */
export interface AuthenticationSettings {
  /** Absent where no such flag is given: all requests are the anonymous user's. */
  readonly authentication?: AuthenticationOptions
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  /** Follows the files that may change; to be called once the server runs. */
  readonly follow?: ServiceAccountSettings['follow']
}

/** What the flags are read with. */
export interface AuthenticationFlagContext {
  readonly configKinds: ConfigKinds
  readonly gates: FeatureGates
  /** Every request is allowed, that of the anonymous user included. */
  readonly alwaysAllow: boolean
}

const gate = 'StructuredAuthenticationConfiguration'

/** The flags of the section, but for those that only matter with others. */
const flags = [
  'anonymous-auth',
  'token-auth-file',
  'enable-bootstrap-token-auth',
  'api-audiences',
  'service-account-issuer',
  'service-account-key-file',
  'service-account-signing-key-file',
  'service-account-lookup',
  'service-account-extend-token-expiration',
  'service-account-max-token-expiration',
  'service-account-jwks-uri',
  'oidc-issuer-url',
  'authentication-config',
  'authentication-token-webhook-config-file',
] as const

const oidcFlags = [
  'oidc-issuer-url',
  'oidc-client-id',
  'oidc-ca-file',
  'oidc-username-claim',
  'oidc-username-prefix',
  'oidc-groups-claim',
  'oidc-groups-prefix',
  'oidc-signing-algs',
  'oidc-required-claim',
] as const

/** Reads the flags of authentication and the files that they name, and says everything that is wrong. */
export async function authenticationSettings(
  options: Options,
  context: AuthenticationFlagContext,
): Promise<AuthenticationSettings> {
  const given = (flag: string) => options.origin(flag) !== 'default'
  const asked = flags.some(given)
  const tokens = await staticTokens(options.string('token-auth-file'))
  const accounts = await serviceAccountSettings(options)
  const issuers = await issuersOf(options, context, oidcFlags.some(given))
  const problems = [...tokens.problems, ...accounts.problems, ...issuers.problems]
  const warnings = [...tokens.warnings, ...accounts.warnings]
  if (problems.length > 0 || !asked) return { problems, warnings }
  const anonymous = options.boolean('anonymous-auth')
  const closed = anonymous && context.alwaysAllow
  const file = options.string('authentication-token-webhook-config-file')
  const audiences = options.strings('api-audiences')
  const config = options.string('authentication-config')
  let believed = issuers.issuers
  return {
    problems,
    warnings: closed ? [...warnings, closedWarning] : warnings,
    async follow(following) {
      await accounts.follow(following)
      await followAuthenticationFile(config, context.configKinds, following, (now) => {
        believed = now
      })
    },
    authentication: {
      anonymous: anonymous && !closed,
      bootstrapTokens: options.boolean('enable-bootstrap-token-auth'),
      ...(audiences.length > 0 && { apiAudiences: audiences }),
      ...(tokens.users && { staticTokens: tokens.users }),
      serviceAccounts: accounts.serviceAccounts,
      issuers: () => believed,
      ...(file !== '' && { webhook: webhookOf(options, file) }),
    },
  }
}

const closedWarning =
  '--anonymous-auth: requests without credentials are refused, as every user may do everything: choose another --authorization-mode than AlwaysAllow to let them in'

function webhookOf(options: Options, file: string): NonNullable<AuthenticationOptions['webhook']> {
  return {
    file,
    version: options.string('authentication-token-webhook-version') as 'v1' | 'v1beta1',
    cacheMs: options.milliseconds('authentication-token-webhook-cache-ttl'),
  }
}

/** What was read of a file of tokens. */
interface ReadTokens {
  readonly users?: AuthenticationOptions['staticTokens']
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

async function staticTokens(file: string): Promise<ReadTokens> {
  if (file === '') return { problems: [], warnings: [] }
  const name = `--token-auth-file: ${file}`
  const text = await readFile(file, 'utf8').catch((error: Error) => error)
  if (text instanceof Error) return { problems: [`${name}: ${text.message}`], warnings: [] }
  const { users, problems, warnings } = parseStaticTokens(text)
  const named = (lines: readonly string[]) => lines.map((line) => `${name}: ${line}`)
  return { users, problems: named(problems), warnings: named(warnings) }
}

/** The issuers of the file, or the one of the flags. */
async function issuersOf(
  options: Options,
  { configKinds, gates }: AuthenticationFlagContext,
  oidc: boolean,
): Promise<AuthenticationFile> {
  const file = options.string('authentication-config')
  if (file === '') return oidc ? issuerOfFlags(options) : { issuers: [], problems: [] }
  const problems = [
    ...(gates.on.has(gate) ? [] : [`--authentication-config needs --feature-gates=${gate}=true`]),
    ...(oidc
      ? [
          '--authentication-config stands instead of the flags that begin with --oidc-: put what they say into the file',
        ]
      : []),
  ]
  const read = await readAuthenticationFile(file, configKinds)
  return { issuers: read.issuers, problems: [...problems, ...read.problems] }
}

async function issuerOfFlags(options: Options): Promise<AuthenticationFile> {
  const [url, audience] = [options.string('oidc-issuer-url'), options.string('oidc-client-id')]
  if (url === '' || audience === '') {
    return {
      issuers: [],
      problems: [
        '--oidc-issuer-url and --oidc-client-id must both be given with any flag that begins with --oidc-',
      ],
    }
  }
  const file = options.string('oidc-ca-file')
  const ca = file === '' ? undefined : await readFile(file, 'utf8').catch((error: Error) => error)
  const algorithms = options.strings('oidc-signing-algs')
  const unknown = algorithms.filter(
    (one) => !(signatureAlgorithms as readonly string[]).includes(one),
  )
  const problems = [
    ...urlProblems(url),
    ...(ca instanceof Error ? [`--oidc-ca-file: ${ca.message}`] : []),
    ...unknown.map(
      (one) => `--oidc-signing-algs: ${one} is none of ${signatureAlgorithms.join(', ')}`,
    ),
  ]
  const groups = options.string('oidc-groups-claim')
  const issuer = {
    issuer: {
      url,
      audiences: [audience],
      ...(typeof ca === 'string' && { certificateAuthority: ca }),
    },
    claimMappings: {
      username: { claim: options.string('oidc-username-claim'), prefix: usernamePrefix(options) },
      ...(groups !== '' && {
        groups: { claim: groups, prefix: options.string('oidc-groups-prefix') },
      }),
    },
    claimValidationRules: [...options.pairs('oidc-required-claim')].map(
      ([claim, requiredValue]) => ({ claim, requiredValue }),
    ),
  }
  const allowed = signatureAlgorithms.filter((one) => algorithms.includes(one))
  return { issuers: [{ issuer, algorithms: allowed }], problems }
}

/** Names of different issuers must not meet; addresses of electronic mail are told apart by themselves. */
function usernamePrefix(options: Options): string {
  const prefix = options.string('oidc-username-prefix')
  if (prefix === '-') return ''
  if (prefix !== '' || options.string('oidc-username-claim') === 'email') return prefix
  return `${options.string('oidc-issuer-url')}#`
}

function urlProblems(url: string): readonly string[] {
  if (!URL.canParse(url)) return [`--oidc-issuer-url: ${url} is no URL`]
  const { protocol, username, password, search, hash } = new URL(url)
  return [
    ...(protocol === 'https:' ? [] : ['--oidc-issuer-url: only https is believed']),
    ...(username + password === ''
      ? []
      : ['--oidc-issuer-url: it must not hold a user or a password']),
    ...(search + hash === '' ? [] : ['--oidc-issuer-url: it must have no query and no fragment']),
  ]
}

/** The settings with what the flags of authentication say. */
export function withAuthentication(
  settings: ApiServerOptions,
  { authentication }: AuthenticationSettings,
): ApiServerOptions {
  return authentication === undefined ? settings : { ...settings, authentication }
}
