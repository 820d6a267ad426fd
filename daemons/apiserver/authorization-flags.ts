import { readFile } from 'node:fs/promises'
import type { AuthorizationConfiguration } from '../../generated/config/apiserver/v1alpha1.ts'
import {
  type AuthorizationMode,
  type AuthorizationOptions,
  type AuthorizationWebhook,
  authorizationModes,
  loadAuthorizationConditions,
} from '../../runtime/apiserver/apiserver.ts'
import { type AbacPolicy, readAbacPolicies } from '../../runtime/auth/auth.ts'
import type { ConfigKinds, FeatureGates, Options } from '../../runtime/config/config.ts'
import type { Platform } from '../../runtime/kernel/descriptors/platform.ts'
import { parseDuration } from '../../runtime/kernel/values/duration.ts'
import { didYouMean } from '../../runtime/kernel/values/spelling.ts'
import { findingMessages, readFileAs } from '../config-file.ts'
import { orchconfigProblems } from './webhook-file.ts'

/** What the flags of authorization say. With problems, the server must not start. */
export interface AuthorizationSettings {
  /** Absent where everything is allowed. */
  readonly authorization?: AuthorizationOptions
  readonly problems: readonly string[]
}

/** What the files are read with. */
export interface AuthorizationFlagContext {
  readonly configKinds: ConfigKinds
  readonly platform: Platform
  readonly gates: Pick<FeatureGates, 'on'>
}

const gate = 'StructuredAuthorizationConfiguration'

/** The authorization that flags ask for, and the files that they name. Nothing is read without one. */
export async function authorizationSettings(
  options: Options,
  around: AuthorizationFlagContext,
): Promise<AuthorizationSettings> {
  const config = options.string('authorization-config')
  if (config !== '') return structured(options, config, around)
  const modes = options.strings('authorization-mode')
  const problems = [...modeProblems(modes), ...combinationProblems(options, modes)]
  if (problems.length > 0) return { problems }
  if (modes.length === 0 || (modes.length === 1 && modes[0] === 'AlwaysAllow')) return { problems }
  const { policies, problems: unread } = await abacPolicies(options, modes, around)
  if (unread.length > 0) return { problems: unread }
  return {
    authorization: {
      modes: modes as readonly AuthorizationMode[],
      ...(policies.length > 0 && { abac: policies }),
      ...(modes.includes('Webhook') && { webhooks: [webhookOf(options)] }),
    },
    problems,
  }
}

function modeProblems(modes: readonly string[]): readonly string[] {
  const flag = '--authorization-mode'
  const unknown = modes.filter((mode) => !(authorizationModes as readonly string[]).includes(mode))
  const twice = modes.filter((mode, at) => modes.indexOf(mode) < at)
  return [
    ...unknown.map((mode) => {
      const names = authorizationModes.join(', ')
      return `${flag}: ${mode} is no mode${didYouMean(mode, authorizationModes)}; modes are ${names}`
    }),
    ...[...new Set(twice)].map((mode) => `${flag}: ${mode} is named twice, name it once`),
  ]
}

/** A mode and the file that it needs go together. */
function combinationProblems(options: Options, modes: readonly string[]): readonly string[] {
  const pairs = [
    ['ABAC', 'authorization-policy-file'],
    ['Webhook', 'authorization-webhook-config-file'],
  ] as const
  const version = options.string('authorization-webhook-version')
  return [
    ...pairs.flatMap(([mode, flag]) => {
      const [has, given] = [modes.includes(mode), options.string(flag) !== '']
      if (has === given) return []
      return has
        ? `--authorization-mode ${mode} needs --${flag}`
        : `--${flag} is for the mode ${mode}: add ${mode} to --authorization-mode, or leave the file out`
    }),
    ...(version === 'v1' || version === 'v1beta1'
      ? []
      : [`--authorization-webhook-version: ${version} has to be v1 or v1beta1`]),
  ]
}

/** The policies of the mode ABAC, or what is wrong with their lines. */
async function abacPolicies(
  options: Options,
  modes: readonly string[],
  { platform }: AuthorizationFlagContext,
): Promise<{ readonly policies: readonly AbacPolicy[]; readonly problems: readonly string[] }> {
  const file = options.string('authorization-policy-file')
  if (!modes.includes('ABAC')) return { policies: [], problems: [] }
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error)
    return { policies: [], problems: [`--authorization-policy-file ${file}: ${why}`] }
  }
  const versions = [platform.domain, 'kubernetes.io'].map(
    (domain) => `abac.authorization.${domain}/v1beta1`,
  )
  const { policies, problems } = readAbacPolicies(text, [...new Set(versions)])
  return { policies, problems: problems.map((problem) => `${file}: ${problem}`) }
}

function webhookOf(options: Options): AuthorizationWebhook {
  return {
    orchconfig: options.string('authorization-webhook-config-file'),
    version: options.string('authorization-webhook-version') as AuthorizationWebhook['version'],
    allowedMs: options.milliseconds('authorization-webhook-cache-authorized-ttl'),
    refusedMs: options.milliseconds('authorization-webhook-cache-unauthorized-ttl'),
  }
}

/** The authorizers of a file, with everything that is wrong with it. */
async function structured(
  options: Options,
  file: string,
  { configKinds, gates }: AuthorizationFlagContext,
): Promise<AuthorizationSettings> {
  const flag = '--authorization-config'
  const others = [
    ...(options.strings('authorization-mode').length > 0 ? ['authorization-mode'] : []),
    ...['authorization-policy-file', 'authorization-webhook-config-file'].filter(
      (one) => options.string(one) !== '',
    ),
  ]
  const problems = [
    ...others.map((one) => `${flag} says all: leave --${one} out`),
    ...(gates.on.has(gate) ? [] : [`${flag} needs --feature-gates ${gate}=true`]),
  ]
  if (problems.length > 0) return { problems }
  const kind = 'AuthorizationConfiguration'
  const { value, findings } = await readFileAs(file, { kind, flag, configKinds })
  if (value === undefined || findings.length > 0) return { problems: findingMessages(findings) }
  const { authorizers } = value as AuthorizationConfiguration
  const types = authorizers.map(({ type }) => type)
  const twice = types.filter((type, at) => type !== 'Webhook' && types.indexOf(type) < at)
  const webhooks: AuthorizationWebhook[] = []
  const wrong = [...new Set(twice)].map((type) => `${file}: ${type} stands twice, name it once`)
  for (const { name, type, webhook } of authorizers) {
    if (type === 'ABAC') wrong.push(`${file}: the type ABAC needs --authorization-mode`)
    if (webhook === undefined) continue
    const made = await structuredWebhook(webhook as unknown as StructuredWebhook)
    if (typeof made === 'string') wrong.push(`${file}: authorizer ${name}: ${made}`)
    else {
      const place = `${file}: authorizer ${name}: connectionInfo`
      wrong.push(...(await orchconfigProblems(place, made.orchconfig)))
      webhooks.push(made)
    }
  }
  if (wrong.length > 0) return { problems: wrong }
  return { authorization: { modes: types, webhooks }, problems: [] }
}

/** The settings of a webhook in a file, under whatever platform's names. */
type StructuredWebhook = Readonly<Record<string, unknown>> & {
  readonly connectionInfo: Readonly<Record<string, string>>
}

async function structuredWebhook(
  webhook: StructuredWebhook,
): Promise<AuthorizationWebhook | string> {
  const { type = '', ...paths } = webhook.connectionInfo
  if (!type.endsWith('ConfigFile')) {
    return `connectionInfo.type: ${type} is not known here, name a file with the address`
  }
  const [orchconfig] = Object.values(paths)
  if (!orchconfig) return 'connectionInfo needs the path of the file with the address'
  const expressions = (webhook.matchConditions ?? []) as readonly { readonly expression: string }[]
  const matches = await conditionsOf(expressions.map(({ expression }) => expression))
  if (typeof matches === 'string') return matches
  return {
    orchconfig,
    version: webhook.subjectAccessReviewVersion as AuthorizationWebhook['version'],
    onFailure: webhook.failurePolicy as 'NoOpinion' | 'Deny',
    allowedMs: durationOf(webhook.authorizedTTL, 300_000),
    refusedMs: durationOf(webhook.unauthorizedTTL, 30_000),
    timeoutMs: durationOf(webhook.timeout, 30_000),
    ...(matches && { matches }),
  }
}

async function conditionsOf(expressions: readonly string[]) {
  if (expressions.length === 0) return undefined
  const { authorizationConditions } = await loadAuthorizationConditions()
  return authorizationConditions(expressions)
}

function durationOf(text: unknown, otherwise: number): number {
  return typeof text === 'string' ? (parseDuration(text) ?? otherwise) : otherwise
}
