# Homebrew formula of Reckon. `cargo xtask package` fills in the version and the digest of the archive that it made; the other
# one comes from SHA256SUMS of the release. @REPOSITORY@ is where releases are published.
class Reckon < Formula
  desc "Private AI on the CPU you own, with answers that are checked"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "Apache-2.0"

  on_linux do
    on_intel do
      url "@REPOSITORY@/releases/download/v@VERSION@/reckon-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256_X86_64@"
    end
    on_arm do
      url "@REPOSITORY@/releases/download/v@VERSION@/reckon-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256_AARCH64@"
    end
  end

  def install
    bin.install "reckon"
    man1.install Dir["share/man/man1/*.1"]
    bash_completion.install "share/bash-completion/completions/reckon"
    zsh_completion.install "share/zsh/site-functions/_reckon"
    fish_completion.install "share/fish/vendor_completions.d/reckon.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/reckon --version")
  end
end
