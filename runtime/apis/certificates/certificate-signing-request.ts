import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
  CertificateSigningRequestStatus,
} from '../../../generated/apis/certificates/v1.ts'
import { timestamp } from '../../kernel/async/clock.ts'
import type { UserInfo } from '../../kernel/auth/user-info.ts'
import { Shown } from '../../kernel/validation/go-value.ts'
import { change } from '../../kernel/values/change.ts'
import { isDerSequence, pemBlocks } from '../../kernel/values/pem.ts'
import { quoted } from '../../kernel/values/quoted.ts'
import type { Field } from '../../kernel/walker/field.ts'
import type { Loose } from '../../kernel/walker/loose.ts'
import type { Strategy } from '../strategy/strategy.ts'

type Condition = Loose<CertificateSigningRequestCondition>

/**
 * Who made a request is said by the server, whatever its author says; it is only approved, denied and answered
 * afterwards, and approval and denial stay and exclude each other. Each subresource writes its own
 * conditions. The spec is checked when the request is created and not again.
 */
export const certificateSigningRequest: Strategy<CertificateSigningRequest> = {
  prepareCreate(object, { user }) {
    if (object.spec === undefined) return object
    const { username, uid, groups, extra, ...spec } = object.spec
    return change(object, { spec: { ...spec, ...(user && requesterOf(user)) } })
  },
  prepareSubresource(object, old, { subresource, now }) {
    const [before = [], wanted = []] = [old, object].map(({ status }) => status?.conditions ?? [])
    const decided = subresource === 'status' ? withDecisionsOf(before, wanted) : wanted
    const conditions = decided.map((each) => withTimes(each, before, timestamp(now)))
    return change(object, { status: { ...object.status, conditions } })
  },
  check(object, { platform }) {
    if (object.old === undefined) checkSpec(object.child('spec'), platform.domain)
    checkAnswer(object, 'approval')
  },
  checkStatus: (object) => checkAnswer(object, 'status'),
}

/** Who a request says that it is of. */
function requesterOf({ username, uid, groups, extra }: UserInfo) {
  return { username, ...(uid && { uid }), groups, ...(extra && { extra }) }
}

/** Decisions, which only the path of the approval may write, and the certificate, which only that of the status may. */
function checkAnswer(
  object: Field<CertificateSigningRequest>,
  writes: 'approval' | 'status',
): void {
  const status = object.child('status')
  checkConditions(status)
  checkRemoved(status)
  if (object.old !== undefined && writes === 'status') checkAdded(status)
  checkCertificate(status, writes === 'status')
}

const decisions = ['Approved', 'Denied']
const final = [...decisions, 'Failed']

/** Approvals and denials as they are stored, each type that stands there as often as before. */
function withDecisionsOf(
  before: readonly Condition[],
  wanted: readonly Condition[],
): readonly Condition[] {
  const stored = new Map(decisions.map((type) => [type, ofType(before, type)]))
  const same = decisions.filter((type) => ofType(wanted, type).length === stored.get(type)?.length)
  return wanted.map((condition) =>
    same.includes(condition.type ?? '')
      ? (stored.get(condition.type ?? '')?.shift() ?? condition)
      : condition,
  )
}

function ofType(conditions: readonly Condition[] | null | undefined, type: string): Condition[] {
  return (conditions ?? []).filter((condition) => condition.type === type)
}

/**
 * Fills in the times that a client left out. The time of transition stays that of the stored
 * condition of the same type as long as its status is the same; times that the client gave are
 * kept.
 */
function withTimes(condition: Condition, before: readonly Condition[], now: string): Condition {
  const same = before.find(({ type }) => type === condition.type)
  const kept = same?.status === condition.status ? same?.lastTransitionTime : undefined
  return {
    ...condition,
    lastUpdateTime: condition.lastUpdateTime ?? now,
    lastTransitionTime: condition.lastTransitionTime ?? kept ?? now,
  }
}

/**
 * Errors in the order request, signerName, usages. Of the request only the first PEM block counts:
 * its type, and that its body is a DER sequence; signature and subject are left to signers. The
 * error shows the bytes, as public servers do.
 */
function checkSpec(spec: Field<CertificateSigningRequestSpec>, domain: string): void {
  const { request = '', signerName, usages } = spec.value
  const [block] = pemBlocks(Buffer.from(request, 'base64').toString('latin1'))
  if (block?.type !== 'CERTIFICATE REQUEST' || !isDerSequence(block.der)) {
    const bytes = [...Buffer.from(request, 'base64')].map((byte) => `0x${byte.toString(16)}`)
    const shown = new Shown(
      spec.value.request === undefined ? '[]byte(nil)' : `[]byte{${bytes.join(', ')}}`,
    )
    spec.invalid('request', 'PEM block type must be CERTIFICATE REQUEST', shown)
  }
  spec.visit('signerName')
  if (signerName === `${domain}/legacy-unknown`) {
    spec.invalid('signerName', 'the legacy signerName is not allowed via this API version')
  }
  if (!usages?.length) spec.required('usages')
  const seen = new Set<string>()
  spec.each('usages', (usage) => usage.distinct('', seen))
}

type Status = Field<CertificateSigningRequestStatus>

/**
 * Each type once. Of Approved and Denied the second one in the list has the error. Decisions and
 * Failed are facts: no other status than True is allowed for them, while conditions of other types
 * may have any.
 */
function checkConditions(status: Status): void {
  const seen = new Set<string>()
  status.each('conditions', (condition) => {
    const { type = '', status: held } = condition.value
    if (type === '') condition.required('type')
    if (decisions.some((other) => other !== type && seen.has(other)) && decisions.includes(type)) {
      condition.invalid('type', 'Approved and Denied conditions are mutually exclusive')
    }
    condition.distinct('type', seen)
    const states = final.includes(type) ? ['True'] : ['False', 'True', 'Unknown']
    if (!states.includes(held ?? '')) condition.unsupported('status', states)
  })
}

/** One error, at the list, for each type of a decision or failure of which an update leaves out some. */
function checkRemoved(status: Status): void {
  for (const type of final.filter((type) => gained(status, type) < 0)) {
    const why = `updates may not remove a condition of type ${quoted(type)}`
    status.forbidden('conditions', why)
  }
}

/** One error, at the list, for each type of a decision that a write of the status makes. */
function checkAdded(status: Status): void {
  for (const type of decisions.filter((type) => gained(status, type) > 0)) {
    const why = `updates may not add a condition of type ${quoted(type)}`
    status.forbidden('conditions', why)
  }
}

/** How many more conditions of a type there are than before. */
function gained({ value, old }: Status, type: string): number {
  return ofType(value.conditions, type).length - ofType(old?.conditions, type).length
}

/**
 * The certificate is written once, through the subresource status; to remove it is a change like
 * any other. An error hides the content. Only the types of the PEM blocks are judged, not what they
 * hold.
 */
function checkCertificate(status: Status, writable: boolean) {
  const { certificate } = status.value
  const before = status.old?.certificate
  if (certificate === before) return
  if (!writable) {
    return status.forbidden('certificate', 'updates may not set certificate content')
  }
  if (before) {
    return status.forbidden('certificate', 'updates may not modify existing certificate content')
  }
  const wrong = (why: string) => status.invalid('certificate', why, '<certificate data>')
  const blocks = pemBlocks(Buffer.from(certificate ?? '', 'base64').toString('latin1'))
  if (blocks.length === 0) wrong('must contain at least one CERTIFICATE PEM block')
  for (const { type } of blocks) {
    if (type === 'CERTIFICATE') continue
    wrong(`only CERTIFICATE PEM blocks are allowed, found ${quoted(type)}`)
  }
}
