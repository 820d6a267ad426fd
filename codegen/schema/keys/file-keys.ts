import type { DescribedShape } from './shape.ts'

/** The keys of a schema file of types and kinds. */
export const fileShape: DescribedShape = {
  group: {
    type: 'string!',
    about: 'The API group of its kinds: a domain name of yours.',
    example: 'web.example.com',
  },
  version: { type: 'string!', about: 'The version of its kinds.', example: 'v1' },
  absent: {
    type: 'string',
    values: ['zero'],
    about:
      'Required fields that are absent are judged as their zero value. For kinds of orch itself.',
    otherwise: 'they are told to be missing',
    example: 'zero',
  },
  definitions: {
    type: 'mapping!',
    parts: { of: 'values', table: 'A schema' },
    about:
      'Types by name. One with `x-orch-kind` is the root of a kind; the others are referred to as `#/definitions/NAME`.',
    example: '{ Website: { type: object } }',
  },
}

/** The keys of a rule of `x-orch-validations`. */
export const ruleShape: DescribedShape = {
  rule: {
    type: 'string!',
    about:
      'An expression that holds for the value, which is `self`. In an update `oldSelf` is the value before: a rule that names it is not asked for new objects.',
    example: 'self.min <= self.max',
  },
  message: {
    type: 'string',
    about: 'What is said where it does not hold.',
    otherwise: 'the rule itself',
    example: 'min is at most max',
  },
  messageExpression: {
    type: 'string',
    about: 'An expression that gives the message.',
    example: `'"max is below " + string(self.min)'`,
  },
  reason: {
    type: 'string',
    values: [
      'FieldValueDuplicate',
      'FieldValueForbidden',
      'FieldValueInvalid',
      'FieldValueRequired',
    ],
    about: 'What kind of error it is.',
    otherwise: 'FieldValueInvalid',
    example: 'FieldValueForbidden',
  },
  fieldPath: { type: 'string', about: 'The field that the error names.', example: '.max' },
  optionalOldSelf: {
    type: 'boolean',
    about: 'The rule is asked for new objects, too, and `oldSelf` is an optional value.',
    otherwise: 'false',
    example: 'true',
  },
}

/** The keywords of JSON Schema that schema files may use. */
export const schemaKeywords: DescribedShape = {
  $ref: {
    type: 'string',
    about:
      'Another definition: `#/definitions/NAME`, `FILE#/definitions/NAME`, or `orch:FILE#/definitions/NAME` for one of orch.',
    example: '"orch:meta/v1/object-meta.yaml#/definitions/ObjectMeta"',
  },
  additionalProperties: {
    type: 'mapping',
    parts: { of: 'itself', table: 'A schema' },
    about: 'The schema of the values of a map.',
    example: '{ type: string }',
  },
  allOf: {
    type: 'list',
    parts: { of: 'items', table: 'A schema' },
    about: 'Structs whose fields become fields of this one.',
    example: '[{ $ref: "#/definitions/Common" }]',
  },
  default: {
    type: 'any',
    about: 'The value of a field that is absent or null. The server writes it into the object.',
    example: '1',
  },
  description: {
    type: 'string',
    about:
      'What the value means. It becomes the comment of the type and the text of `kubectl explain`.',
    example: 'How many servers answer visitors.',
  },
  enum: {
    type: 'strings',
    about: 'The only texts that the value may be.',
    example: '[Always, Never]',
  },
  exclusiveMaximum: { type: 'number', about: 'The number is below this one.', example: '100' },
  exclusiveMinimum: { type: 'number', about: 'The number is above this one.', example: '0' },
  format: {
    type: 'string',
    about:
      'The width of a number (`int32`, `int64`, `double`), or the form of a text such as `date-time` or `byte`.',
    example: 'int32',
  },
  items: {
    type: 'mapping',
    parts: { of: 'itself', table: 'A schema' },
    about: 'The schema of the items of a list.',
    example: '{ type: string }',
  },
  maxItems: { type: 'integer', about: 'Most items of the list.', example: '16' },
  maxLength: { type: 'integer', about: 'Most characters of the text.', example: '63' },
  maximum: { type: 'number', about: 'The number is at most this one.', example: '100' },
  minItems: { type: 'integer', about: 'Fewest items of the list.', example: '1' },
  minLength: { type: 'integer', about: 'Fewest characters of the text.', example: '1' },
  minimum: { type: 'number', about: 'The number is at least this one.', example: '0' },
  oneOf: {
    type: 'list',
    parts: { of: 'items', table: 'A schema' },
    about: 'Types of which the value has one, and which JSON tells apart.',
    example: '[{ type: integer }, { type: string }]',
  },
  pattern: {
    type: 'string',
    about: 'A regular expression of RE2 that the text fits.',
    example: "'^[a-z]+$'",
  },
  properties: {
    type: 'mapping',
    parts: { of: 'values', table: 'A schema' },
    about: 'The fields of a struct, in the order in which they are written.',
    example: '{ title: { type: string } }',
  },
  required: { type: 'strings', about: 'The fields that may not be absent.', example: '[title]' },
  type: {
    type: 'string',
    values: ['array', 'boolean', 'integer', 'number', 'object', 'string'],
    about: 'The type of the value in JSON.',
    example: 'string',
  },
}
