/** What a client and a program that gets credentials say to each other. */
import type { ExecCredential } from '../../generated/config/clientauthentication/v1.ts'
import type { Cluster, ExecConfig } from '../../generated/config/clientconfig/v1.ts'
import { platform } from '../../generated/platform.ts'
import type { Credentials } from '../client/client.ts'
import { groupNames } from '../kernel/descriptors/platform.ts'
import { StatusError } from '../kernel/errors/status-error.ts'
import { createReport } from '../kernel/validation/field-error.ts'
import { isObject } from '../kernel/values/json.ts'
import { decodeJson } from '../serializer/serializer.ts'

/** What a program gave, and until when it holds. */
export interface ExecAnswer {
  readonly credentials: Credentials
  /** Milliseconds since the epoch; absent for what holds until a server refuses it. */
  readonly expires?: number
}

const groups = groupNames('client.authentication', platform)
const kinds = {
  v1: async () =>
    (await import('../../generated/config/clientauthentication/v1.table.ts')).execCredential,
  v1beta1: async () =>
    (await import('../../generated/config/clientauthentication/v1beta1.table.ts')).execCredential,
}

/** Why a program of this version cannot be talked to; undefined for one that can. */
export function versionProblem({ apiVersion = '' }: ExecConfig): string | undefined {
  if (versionOf(apiVersion) !== undefined) return undefined
  const known = groups.flatMap((group) =>
    Object.keys(kinds).map((version) => `${group}/${version}`),
  )
  return `exec.apiVersion is ${JSON.stringify(apiVersion)}: expected one of ${known.join(', ')}`
}

/** What a program is told about the cluster and the terminal. */
export function execRequest(
  { apiVersion, provideClusterInfo }: ExecConfig,
  cluster: Cluster,
  ca: string | undefined,
  interactive: boolean,
): object {
  const told = provideClusterInfo && { cluster: clusterInfo(cluster, ca) }
  return { kind: 'ExecCredential', apiVersion, spec: { ...told, interactive } }
}

/** The name, after its group, under which a cluster's entry keeps what only the program understands. */
function clusterInfo(cluster: Cluster, ca: string | undefined): object {
  const names = groups.map((group) => `${group}/exec`)
  const config = cluster.extensions?.find(({ name }) => names.includes(name))?.extension
  return {
    server: cluster.server,
    ...(cluster['tls-server-name'] && { 'tls-server-name': cluster['tls-server-name'] }),
    ...(cluster['insecure-skip-tls-verify'] && { 'insecure-skip-tls-verify': true }),
    ...(ca !== undefined && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(cluster['proxy-url'] && { 'proxy-url': cluster['proxy-url'] }),
    ...(cluster['disable-compression'] && { 'disable-compression': true }),
    ...(config !== undefined && { config }),
  }
}

/**
 * Reads what a program printed.
 *
 * @throws StatusError `Unauthorized` that begins with `what`, for anything but credentials of the version that was asked for.
 */
export async function readExecAnswer(
  { apiVersion = '' }: ExecConfig,
  output: string,
  what: string,
): Promise<ExecAnswer> {
  const wrong = (why: string, cause?: unknown) =>
    new StatusError('Unauthorized', `${what}: ${why}`, { cause })
  const answer = parsed(output, wrong)
  if (answer.kind !== 'ExecCredential' || answer.apiVersion !== apiVersion) {
    const given = `${answer.kind ?? 'nothing'} of ${answer.apiVersion ?? 'no version'}`
    throw wrong(`prints ${given}, where an ExecCredential of ${apiVersion} is expected`)
  }
  const report = createReport()
  const kind = await kinds[versionOf(apiVersion) ?? 'v1']()
  const { status } = kind.read(answer, report) as ExecCredential
  const [problem] = [...report.typeErrors, ...report.errors]
  if (problem !== undefined)
    throw wrong(`prints an ExecCredential with ${problem.path}: ${problem.message}`)
  return credentialsOf(status ?? {}, wrong)
}

function credentialsOf(
  { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp }: Status,
  wrong: (why: string) => StatusError,
): ExecAnswer {
  if (!cert !== !key)
    throw wrong(`prints a ${cert ? 'certificate without its key' : 'key without its certificate'}`)
  if (!token && !cert) throw wrong('prints neither a token nor a certificate in its status')
  return {
    credentials: { ...(token && { token }), ...(cert && key && { cert, key }) },
    ...(expirationTimestamp && { expires: Date.parse(expirationTimestamp) }),
  }
}

type Status = NonNullable<ExecCredential['status']>

function parsed(output: string, wrong: (why: string, cause: unknown) => StatusError) {
  try {
    const { value } = decodeJson(Buffer.from(output))
    if (isObject(value)) return value
  } catch (cause) {
    throw wrong('prints something that is no JSON', cause)
  }
  throw wrong('prints no JSON object', undefined)
}

function versionOf(apiVersion: string): keyof typeof kinds | undefined {
  const [group = '', version = ''] = apiVersion.split('/')
  return groups.includes(group) && Object.hasOwn(kinds, version)
    ? (version as keyof typeof kinds)
    : undefined
}
