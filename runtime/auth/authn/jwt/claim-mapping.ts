import type { UserInfo } from '../../../kernel/auth/user-info.ts'
import { dnsSubdomainProblems } from '../../../kernel/meta/names.ts'
import {
  type CompiledClaimExpression,
  compileClaimExpression,
  type ExpressionSubject,
  textsOfValue,
} from './claim-expressions.ts'
import { type Claims, textClaim, textsClaim } from './compact-token.ts'
import type { ClaimSource, JWTAuthenticator, JwtProblem } from './jwt-issuer.ts'

/** Makes a user of verified claims. @throws an Error that says why they make none. */
export type ClaimMapping = (claims: Claims) => UserInfo

/** What an issuer's claims become, and every expression that is none. */
export interface ReadMapping {
  readonly mapping: ClaimMapping
  readonly problems: readonly JwtProblem[]
}

/** Reads what a file or the flags say of claims; every expression is compiled once. */
export function claimMapping({
  claimMappings,
  claimValidationRules = [],
  userValidationRules = [],
}: JWTAuthenticator): ReadMapping {
  const compiler = new Compiler()
  const { username, groups, uid, extra = [] } = claimMappings
  const nameOf = textSource(username, 'claimMappings.username', compiler)
  const groupsOf = groups && textsSource(groups, compiler)
  const uidOf = uid && textSource({ ...uid, prefix: '' }, 'claimMappings.uid', compiler)
  const extras = extra.map(({ key, valueExpression }, index) => {
    const path = `claimMappings.extra[${index}].valueExpression`
    if (!isDomainPath(key) || extra.findIndex((one) => one.key === key) < index) {
      const message = 'must be a lower-case path that begins with a domain, and stand once'
      compiler.problems.push({ path: `claimMappings.extra[${index}].key`, message })
    }
    return [key, compiler.compile(valueExpression, 'claims', path)] as const
  })
  const claimRules = claimValidationRules.map((rule, index) =>
    claimRule(rule, `claimValidationRules[${index}]`, compiler),
  )
  const userRules = userValidationRules.map(({ expression, message = '' }, index) => {
    const path = `userValidationRules[${index}].expression`
    return { message, evaluate: compiler.compile(expression, 'user', path, 'bool') }
  })
  return { mapping, problems: compiler.problems }

  function mapping(claims: Claims): UserInfo {
    const own = nameOf(claims)
    const uidText = uidOf?.(claims) ?? ''
    const facts = extras.flatMap(([key, evaluate]) => {
      const values = textsOfValue(evaluate(claims))
      return values.length === 0 ? [] : [[key, values] as const]
    })
    const user: UserInfo = {
      username: own,
      ...(uidText !== '' && { uid: uidText }),
      groups: groupsOf?.(claims) ?? [],
      ...(facts.length > 0 && { extra: Object.fromEntries(facts) }),
    }
    for (const check of claimRules) check(claims)
    for (const { evaluate, message } of userRules) {
      const seen = { uid: '', extra: {}, ...user }
      if (evaluate(seen) !== true) throw new Error(`validation expression failed: ${message}`)
    }
    return user
  }
}

/** `example.com/team` */
function isDomainPath(key: string): boolean {
  const slash = key.indexOf('/')
  const isWhole = slash > 0 && slash < key.length - 1 && key === key.toLowerCase()
  return isWhole && dnsSubdomainProblems(key.slice(0, slash)).length === 0
}

type Evaluate = Exclude<CompiledClaimExpression['evaluate'], undefined>

/** Compiles expressions, and gathers what is wrong with them. */
class Compiler {
  readonly problems: JwtProblem[] = []

  compile(source: string, subject: ExpressionSubject, path: string, result?: 'bool'): Evaluate {
    const compiled = compileClaimExpression(source, subject, result)
    if (compiled.evaluate !== undefined) return compiled.evaluate
    this.problems.push({ path, message: compiled.problem })
    return () => {
      throw new Error(compiled.problem)
    }
  }
}

/** A source of one text. */
function textSource(
  { claim = '', prefix = '', expression = '' }: ClaimSource,
  path: string,
  compiler: Compiler,
): (claims: Claims) => string {
  if (expression !== '') {
    const evaluate = compiler.compile(expression, 'claims', `${path}.expression`)
    return (claims) => {
      const value = evaluate(claims)
      if (typeof value === 'string') return value
      throw new Error(`${path}: claim expression must return a string`)
    }
  }
  if (claim === '') return () => ''
  return (claims) => {
    if (claim === 'email') checkEmail(claims)
    const text = textClaim(claims, claim)
    if (text === undefined) throw new Error(`${path}: the claim ${claim} is absent or no text`)
    return prefix + text
  }
}

/** An address that its issuer did not verify says nothing about who one is. */
function checkEmail(claims: Claims): void {
  if (!Object.hasOwn(claims, 'email_verified')) return
  if (claims.email_verified !== true) throw new Error('email not verified')
}

/** A source of groups; a token without the claim has none. */
function textsSource(
  { claim = '', prefix = '', expression = '' }: ClaimSource,
  compiler: Compiler,
): (claims: Claims) => readonly string[] {
  if (expression !== '') {
    const evaluate = compiler.compile(expression, 'claims', 'claimMappings.groups.expression')
    return (claims) => textsOfValue(evaluate(claims))
  }
  return (claims) => {
    if (claim === '' || !Object.hasOwn(claims, claim)) return []
    const groups = textsClaim(claims, claim)
    if (groups === undefined) throw new Error(`the claim ${claim} is no text and no list of texts`)
    return groups.map((group) => prefix + group)
  }
}

type ClaimRule = NonNullable<JWTAuthenticator['claimValidationRules']>[number]

/** @throws, when it is called, what the claims do not fulfil; values of them are not told. */
function claimRule(
  { claim = '', requiredValue = '', expression = '', message = '' }: ClaimRule,
  path: string,
  compiler: Compiler,
): (claims: Claims) => void {
  if (claim === '') {
    const evaluate = compiler.compile(expression, 'claims', `${path}.expression`, 'bool')
    return (claims) => {
      if (evaluate(claims) !== true) throw new Error(`validation expression failed: ${message}`)
    }
  }
  return (claims) => {
    if (textClaim(claims, claim) === requiredValue) return
    throw new Error(`required claim ${claim} is not ${JSON.stringify(requiredValue)}`)
  }
}
