import Base

/// Finds private keys among the arguments before anything looks at them, so that no message can repeat one.
///
/// `--pins "$(cat key.pem)"` begins with dashes: the parser takes it for an option.
enum SecretArguments {
    /// Throws when an argument is or holds a private key in PEM.
    static func refuse(in arguments: [String]) throws(CommandError) {
        guard arguments.contains(where: KeyMaterial.isArmoured) else { return }
        throw .data(
            "an argument is a private key; it was not used and no part of it is shown: pins are made of public keys "
                + "(openssl pkey -in KEY -pubout), and everybody on this machine can see arguments, so replace the key")
    }
}
