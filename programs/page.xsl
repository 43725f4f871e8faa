<?xml version="1.0"?>
<!-- SPDX-License-Identifier: MIT OR Apache-2.0 -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="html"/>
  <xsl:key name="by-year" match="book" use="@year"/>
  <xsl:template match="/library">
    <html><body>
      <xsl:for-each select="book[generate-id() = generate-id(key('by-year', @year)[1])]">
        <xsl:sort select="@year"/>
        <h1><xsl:value-of select="@year"/></h1>
        <p><xsl:value-of select="sum(key('by-year', @year)/price)"/></p>
        <xsl:for-each select="key('by-year', @year)">
          <xsl:sort select="title"/>
          <p><b><xsl:value-of select="translate(title, 'abc', 'ABC')"/></b>
            <xsl:for-each select="author"><i><xsl:value-of select="."/></i></xsl:for-each>
            <xsl:if test="contains(title, 'cache') and price &gt; 50">dear</xsl:if>
          </p>
        </xsl:for-each>
      </xsl:for-each>
    </body></html>
  </xsl:template>
</xsl:stylesheet>
