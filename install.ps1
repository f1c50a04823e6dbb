# Installs lectern for your user: downloads a release, verifies it and only then
# installs it. An administrator is not needed.
#
#   irm https://github.com/lectern-mcp/lectern/releases/latest/download/install.ps1 | iex
#
# $env:LECTERN_VERSION  a version such as 1.2.3; default: the newest
# $env:LECTERN_BIN      the folder to install into
# $env:LECTERN_MIRROR   an https URL to get releases from
# $env:LECTERN_KEYS     minisign public keys to trust instead of those below
& {
    Set-StrictMode -Version 3
    $ErrorActionPreference = 'Stop'
    $ProgressPreference = 'SilentlyContinue'
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12

    # The release keys, current and next; the same as in installer/update.
    $keys = ''
    if ($env:LECTERN_KEYS) { $keys = $env:LECTERN_KEYS }
    $base = 'https://github.com/lectern-mcp/lectern/releases'
    if ($env:LECTERN_MIRROR) { $base = $env:LECTERN_MIRROR.TrimEnd('/') }
    if ($base -notmatch '^https://') { throw "install lectern: LECTERN_MIRROR is $base; it must be an https URL" }
    $version = "$env:LECTERN_VERSION"
    if ($version -notmatch '^[0-9A-Za-z.-]*$') { throw "install lectern: LECTERN_VERSION is $version; write it as 1.2.3" }
    $at = if ($version) { "$base/download/v$version" } else { "$base/latest/download" }
    $arch = switch ($env:PROCESSOR_ARCHITECTURE) {
        'AMD64' { 'amd64' } 'ARM64' { 'arm64' } default { throw "install lectern: there is no release for $_" }
    }
    $bin = if ($env:LECTERN_BIN) { $env:LECTERN_BIN } else { Join-Path $env:LOCALAPPDATA 'Programs\lectern' }
    New-Item -ItemType Directory -Force $bin | Out-Null
    $target = Join-Path $bin 'lectern.exe'
    # An update that was interrupted between its two renames left the binary here.
    if (-not (Test-Path $target) -and (Test-Path "$target.prev")) { Copy-Item "$target.prev" $target }
    $tmp = Join-Path $bin ('.lectern-install-' + [Guid]::NewGuid().ToString('N'))
    New-Item -ItemType Directory $tmp | Out-Null
    try {
        $list = Join-Path $tmp 'checksums.txt'
        Invoke-WebRequest -UseBasicParsing "$at/checksums.txt" -OutFile $list
        $signed = ''
        if (-not $keys) {
            Write-Host 'signature: not checked, this script carries no release key yet; the SHA-256 is checked'
        } elseif (-not (Get-Command minisign -ErrorAction SilentlyContinue)) {
            Write-Host 'signature: not checked, minisign is not installed; the SHA-256 is checked'
        } else {
            Invoke-WebRequest -UseBasicParsing "$at/checksums.txt.minisig" -OutFile "$list.minisig"
            foreach ($key in -split $keys) {
                $comment = & minisign -Q -V -P $key -m $list 2>$null
                if ($LASTEXITCODE -eq 0) { $signed = "$comment"; break }
            }
            if ($signed -notmatch '^lectern (\S+)$') { throw 'install lectern: checksums.txt is not signed by a key of lectern: it was changed, or is not from us' }
            $signed = $Matches[1]
            Write-Host "signature: lectern $signed"
        }
        $lines = @(Get-Content $list | Where-Object { $_ -cmatch "^[0-9a-f]{64}  lectern_[0-9A-Za-z.-]+_windows_$arch\.zip$" })
        if ($lines.Count -ne 1) { throw "install lectern: this release has $($lines.Count) builds for windows/$arch instead of one" }
        $want, $file = $lines[0] -split '  ', 2
        $named = $file -replace '^lectern_', '' -replace "_windows_$arch\.zip$", ''
        if ($version -and $named -ne $version) { throw "install lectern: the server sent version $named instead of $version" }
        if ($signed -and $named -ne $signed) { throw "install lectern: the list is signed for version $signed, but names $named" }
        $archive = Join-Path $tmp $file
        Invoke-WebRequest -UseBasicParsing "$base/download/v$named/$file" -OutFile $archive
        $got = (Get-FileHash -Algorithm SHA256 $archive).Hash.ToLowerInvariant()
        if ($got -cne $want) { throw "install lectern: $file has the SHA-256 $got instead of ${want}: it was changed or damaged in transit" }
        Write-Host "sha-256: $got"
        Add-Type -AssemblyName System.IO.Compression.FileSystem
        $zip = [IO.Compression.ZipFile]::OpenRead($archive)
        try {
            $entry = $zip.GetEntry('lectern.exe') # by its exact name, so paths in the archive do not matter
            if (-not $entry) { throw "install lectern: $file does not contain lectern.exe" }
            [IO.Compression.ZipFileExtensions]::ExtractToFile($entry, (Join-Path $tmp 'lectern.exe'))
        } finally { $zip.Dispose() }
        $new = Join-Path $tmp 'lectern.exe'
        $said = & $new version
        if ($LASTEXITCODE -ne 0 -or "$said" -notlike "lectern $named *") { throw "install lectern: the new lectern reports '$said'" }
        if (Test-Path $target) { Move-Item -Force $target "$target.prev" } # a running program can be renamed, not replaced
        Move-Item $new $target
        Write-Host "installed: $target ($said)"
        $path = [Environment]::GetEnvironmentVariable('Path', 'User')
        if (($path -split ';') -notcontains $bin) {
            [Environment]::SetEnvironmentVariable('Path', (@($path, $bin) | Where-Object { $_ }) -join ';', 'User')
            Write-Host "$bin was added to your PATH; open a new terminal"
        }
        Write-Host 'next: lectern'
    } finally {
        Remove-Item -Recurse -Force $tmp -ErrorAction SilentlyContinue
    }
}
