/** A response whose objects are not what was asked for. The message continues the sentence `conversion webhook for <kind>`. */
export class InvalidConversionResponse extends Error {
  override readonly name = 'InvalidConversionResponse'
}
